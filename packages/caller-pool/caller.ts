import type { ByteBudget } from "./ByteBudget.ts";
import type { PlainStatement } from "./ImplicitTransaction.ts";
import type { WalPosition } from "./walPosition.ts";

/** The caller of a request. A project extends it by what its own `identify` reads. */
export interface Caller {
  /** All requests with the same key count as one caller when connections are shared. */
  quotaKey: string;
  /** What identifyBySettings() sets: `role`, and settings that policies read, such as `jwt.claims.user_id`. */
  settings?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborted when the client has disconnected: no further statement is sent then. */
  signal?: AbortSignal | undefined;
  /** The name of the operation, which each statement carries as a comment; from a bounded set, as each is prepared again. */
  operation?: string | undefined;
  /**
   * What the request asks for: one name, such as its tables and functions, and perhaps a finer one, such as that with a row's key. All that ask
   * for the same may wait for one lock, or for one slow function: they have a part of the pool.
   */
  subjects?: readonly [string] | readonly [string, string] | undefined;
  /** Whether the request may write: a broken connection may then leave its outcome unknown. */
  writes?: boolean | undefined;
  /** How many bytes all statements of the request together may return. */
  budget?: ByteBudget | undefined;
  /** The position that the caller has to see. Only replicas may not have replayed it yet. */
  after?: WalPosition | undefined;
  /** Receives the primary's position after each transaction, where it is needed. */
  wrote?: ((position: WalPosition) => void) | undefined;
}

/** The statement that makes a transaction its caller's. What it sets must hold for the transaction only (`set_config(…, true)`). */
export type Identify<C extends Caller = Caller> = (caller: C, server: "primary" | "standby") => PlainStatement;

/**
 * Sets `caller.settings` for the transaction, as PostGraphile does with `pgSettings`. Without `role` among them, the transaction has the
 * rights of the login.
 */
export const identifyBySettings: Identify = ({ settings }) => {
  if (!settings) throw new TypeError("The caller has no `settings`, and makeDatabaseAccess() was given no `identify`");
  return {
    name: "identify",
    text: "select pg_catalog.set_config(key, value, true) from pg_catalog.jsonb_each_text($1)",
    values: [JSON.stringify(settings)],
  };
};
