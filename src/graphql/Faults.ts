import { randomUUID } from "node:crypto";
import type { GraphQLError, GraphQLFormattedError, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { Caller } from "../database/adaptor.ts";
import { formatError, internalErrorMessage, Refusal, sqlState } from "../errors.ts";
import { roles } from "../migrations/gmrc.ts";

/** What clients are told of errors. Of those that nobody has foreseen it is an id, under which the log has the rest. */
export class Faults {
  readonly #log: Pick<Logger, "error">;

  constructor(log: Pick<Logger, "error">) {
    this.#log = log;
  }

  format(error: GraphQLError, operation?: OperationDefinitionNode, caller?: Caller): GraphQLFormattedError {
    return formatError(error, ({ originalError, path }) =>
      this.#write(originalError ?? error, {
        operation: operation?.name?.value,
        role: caller && (caller.viewerId ? roles.member : roles.anonymous),
        viewerId: caller?.viewerId || undefined,
        path: path?.join("."),
      }),
    );
  }

  /** A fault of ours that no field is to blame for. */
  unforeseen(error: unknown): Refusal {
    const errorId = this.#write(error, {});
    return new Refusal("INTERNAL_SERVER_ERROR", internalErrorMessage, { errorId });
  }

  #write(error: unknown, details: Record<string, unknown>): string {
    const errorId = randomUUID();
    this.#log.error({ errorId, err: error, sqlState: sqlState(error) || undefined, ...details }, "unforeseen error");
    return errorId;
  }
}
