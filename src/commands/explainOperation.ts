import { randomUUID } from "node:crypto";
import { makeFormatError } from "@content-service/errors/formatError.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { findRoute } from "@content-service/support/route.ts";
import type { GraphQLFormattedError } from "graphql";
import { beginStatement } from "pg-caller-pool";
import { pino } from "pino";
import { anyCredential, createRequestPool } from "../database/requestAccess.ts";
import { executeOperation, noneLeft, type OperationRequest } from "../graphql/executeOperation.ts";
import { coerceVariables } from "../graphql/request/coerceVariables.ts";
import type { PreparedOperation } from "../graphql/request/PreparedOperation.ts";
import type { ServedSchema } from "../graphql/schema/buildSchema.ts";
import { ByteLedger } from "../memory/ByteLedger.ts";
import { type Explained, explainingAccess } from "./explainingAccess.ts";

/** The statements that an operation ran. */
export interface Explanation {
  statements: Explained[];
  /** The errors of the result. */
  errors: readonly GraphQLFormattedError[];
}

const statementTimeoutMs = 600_000;

/**
 * Runs an operation under the role and policies of a request, explains each of its statements, and rolls everything back.
 *
 * @param apiDatabaseUrl connection string of the API's login
 * @param viewerId empty for an anonymous caller
 * @throws OperatorError that says what is wrong with the document
 */
export async function explainOperation(
  served: ServedSchema,
  apiDatabaseUrl: string,
  query: string,
  variables: Record<string, unknown>,
  viewerId: string,
): Promise<Explanation> {
  const silent = pino({ level: "silent" });
  const prepared = read(served, query);
  const execution = {
    prepared,
    variables,
    ...coercedVariables(prepared, variables),
    caller: { viewerId, credential: anyCredential, requestId: randomUUID(), address: "", quotaKey: "" },
    held: new ByteLedger(Number.POSITIVE_INFINITY).account(undefined).hold("results"),
  };
  const settings = { apiDatabaseUrl, poolSize: 1, poolTimeoutMs: 5_000, statementTimeoutMs };
  const pool = createRequestPool(settings, silent, await findRoute(apiDatabaseUrl));
  const client = await pool.connect();
  try {
    await client.query(beginStatement(pool));
    const statements: Explained[] = [];
    const databaseAccess = explainingAccess(client, statements);
    const parts = {
      signToken: undefined,
      formatError: makeFormatError(silent),
      engineFallbacks: noneLeft(),
      catchUp: async () => false,
    };
    const { result } = await executeOperation({ ...served, databaseAccess }, execution, parts);
    return { statements, errors: result.errors ?? [] };
  } finally {
    // Ends the transaction as well.
    client.release(true);
    await pool.end();
  }
}

/** The engine executes an operation with bad variables: its result says what is wrong with them. */
function coercedVariables(
  prepared: PreparedOperation,
  variables: Record<string, unknown>,
): Pick<OperationRequest, "coerced" | "executor"> {
  try {
    return { coerced: coerceVariables(prepared, variables), executor: "compiled" };
  } catch {
    return { coerced: {}, executor: "engine" };
  }
}

function read({ documents }: ServedSchema, query: string): PreparedOperation {
  try {
    const prepared = documents.prepare(query);
    const [invalid] = documents.validate(query, prepared);
    if (invalid) throw invalid;
    return prepared;
  } catch (error) {
    throw new OperatorError(`The operation cannot run: ${(error as Error).message}`);
  }
}
