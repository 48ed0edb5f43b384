import {
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLError,
  type OperationDefinitionNode,
  OperationTypeNode,
} from "graphql";
import { execute } from "postgraphile/grafast";
import type { Caller } from "../database/adaptor.ts";
import { ByteBudget } from "../database/ByteBudget.ts";
import type { FormatError } from "../errors/formatError.ts";
import { limitError } from "../errors/limitError.ts";
import type { SignToken } from "../identity/signToken.ts";
import { roles } from "../migrations/gmrc.ts";
import { answerSize } from "./answerSize.ts";
import { storableVariables } from "./request/storable.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";
import { underGivenNames } from "./underGivenNames.ts";

/** An operation that is valid and within the limits, and its caller. A subscription is executed for one event. */
export interface Execution {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  caller: Caller;
  /** The row of a subscription's event. */
  eventRowId?: string;
}

export interface ExecutionParts {
  /** Undefined where another service signs tokens. */
  signToken: SignToken | undefined;
  formatError: FormatError;
}

/** How many bytes of rows node-postgres reads in a millisecond of the event loop, roughly. */
const bytesReadPerMs = 100_000;

/** Runs an operation in the engine, which plans it or finds its plan. */
export async function executeOperation(
  { schema, resolvedPreset, databaseAccess, limits: { answerBytes } }: ServedSchema,
  { document, operation, variables, caller, eventRowId }: Execution,
  { signToken, formatError }: ExecutionParts,
  use: (busyMs: number) => void = () => {},
): Promise<FormattedExecutionResult> {
  const budget = new ByteBudget(answerBytes);
  const withPgClient = databaseAccess.as({ ...caller, budget });
  const result = await execute({
    schema,
    document,
    resolvedPreset,
    contextValue: { withPgClient, pgSettings: null, signToken, eventRowId },
    variableValues: storableVariables(variables) as Record<string, unknown>,
    operationName: operation.name?.value,
  });
  const { data, errors } = (isAsyncIterable(result) ? await firstOf(result) : result) as {
    data: FormattedExecutionResult["data"];
    errors?: GraphQLError[];
  };
  use(budget.taken / bytesReadPerMs);
  const size = answerSize(data, answerBytes);
  if (size > answerBytes) {
    const error = limitError("answerBytes", answerBytes, size, true);
    if (operation.operation === OperationTypeNode.MUTATION) error.message += " The mutations were executed.";
    return { errors: [formatError(error)], data: null };
  }
  if (!errors || errors.length === 0) return { data: data ?? null };
  const context = {
    operation: operation.name?.value,
    role: caller.viewerId ? roles.member : roles.anonymous,
    viewerId: caller.viewerId || undefined,
  };
  const formatted = errors.map((error) =>
    underGivenNames(formatError(error, context), error, schema, operation, variables),
  );
  return { errors: formatted, data: data ?? null };
}

function isAsyncIterable(result: object): result is AsyncIterable<object> {
  return Symbol.asyncIterator in result;
}

async function firstOf(results: AsyncIterable<object>): Promise<object> {
  for await (const result of results) return result;
  throw new Error("A subscription's event has no result");
}
