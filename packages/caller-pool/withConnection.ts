import type { Socket } from "node:net";
import { type ApiError, hasCode, unavailable } from "@content-service/errors/ApiError.ts";
import type { PoolClient } from "pg";
import type { ByteBudget } from "./ByteBudget.ts";
import type { Caller } from "./caller.ts";
import { forgetOldStatements } from "./preparedStatements.ts";

/** A connection in use. One that is broken is not used again. */
export interface Connection {
  isBroken(): boolean;
  markBroken(): void;
}

/** Uses a connection for a caller, then returns it to the pool, or closes it when it cannot be used any more. */
export async function withConnection<Result>(
  client: PoolClient,
  caller: Caller | undefined,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const refusal = caller && reasonNotToBegin(caller);
  if (refusal) {
    client.release();
    throw refusal;
  }
  let broken = false;
  const markBroken = () => {
    broken = true;
  };
  client.on("error", markBroken);
  const unwatch = watchBytes(client, caller?.budget);
  try {
    const result = await work({ isBroken: () => broken, markBroken });
    forgetOldStatements(client);
    return result;
  } catch (error) {
    // The mutation whose result was cut off may have been committed.
    throw hasCode(error as ApiError, "OUTCOME_UNKNOWN") ? error : (caller?.budget?.refusal ?? error);
  } finally {
    unwatch();
    client.off("error", markBroken);
    // Beyond its budget, the connection has been cut, which is reported later.
    client.release(broken || caller?.budget?.refusal !== undefined || client.getTransactionStatus() !== "I");
  }
}

/** Checked after the wait for a connection, which may have been long. */
function reasonNotToBegin({ budget, signal }: Caller): ApiError | undefined {
  if (budget?.refusal) return budget.refusal;
  return signal?.aborted ? disconnected() : undefined;
}

export function disconnected(): ApiError {
  return unavailable("The client has disconnected.");
}

/** Cuts the connection when the request's budget is spent: there is no other way to stop reading a result. */
function watchBytes(client: PoolClient, budget: ByteBudget | undefined): () => void {
  if (!budget) return () => {};
  const { stream } = (client as StreamingClient).connection;
  const count = (chunk: Buffer) => {
    budget.take(chunk.length);
    if (budget.refusal) stream.destroy(new Error("Connection terminated: the result is too large"));
  };
  stream.on("data", count);
  return () => stream.off("data", count);
}

/** A pool client with a property that node-postgres has but does not declare. */
type StreamingClient = PoolClient & { connection: { stream: Socket } };
