import type { ByteBudget } from "./ByteBudget.ts";
import type { PlainStatement } from "./ImplicitTransaction.ts";
import { printLsn, type WalPosition } from "./walPosition.ts";

/** The caller of a request. No other claim of a token reaches the database. */
export interface Caller {
  /** The user's id, from the token's `sub`; empty for an anonymous caller. */
  viewerId: string;
  /** Random, made by the service, the same for all statements of one request: a caller may read what it just created. */
  requestId: string;
  /** The client's IP address; empty where unknown. */
  address: string;
  /** All requests with the same key count as one caller when connections are shared. */
  quotaKey: string;
  /** Aborted when the client has disconnected: no further statement is sent then. */
  signal?: AbortSignal | undefined;
  /** The name of the operation, which each statement carries as a comment; from a bounded set, as each is prepared anew. */
  operation?: string | undefined;
  /** Whether the request is a mutation: a broken connection may then leave its outcome unknown. */
  writes?: boolean;
  /** How many bytes all statements of the request together may return. */
  budget?: ByteBudget | undefined;
  /** The position that the caller has to see. Only replicas may not have replayed it yet. */
  after?: WalPosition | undefined;
  /** Receives the primary's position after each transaction, where somebody wants to know. */
  wrote?: ((position: WalPosition) => void) | undefined;
}

/** Looks up the caller's role and sets role and identity for this transaction only. */
const impersonate = `select set_config('role', role, true),
       set_config('app.viewer_id', viewer_id, true),
       set_config('app.request_id', $2, true),
       set_config('app.client_address', $3, true)
  from app_hidden.identify($1)`;

const impersonateOnStandby = impersonate.replace(
  "app_hidden.identify($1)",
  "app_private.identify_on_standby($1, $4, $5)",
);

export type Impersonation = PlainStatement & { values: (string | null)[] };

/** The settings that impersonation would make for an anonymous query, as settings of a connection. */
export const anonymousSession = { "app.viewer_id": "", "app.request_id": "", "app.client_address": "" };

/** Whether the caller may see what anybody may, and nothing depends on who it is: the resting role of a connection suffices. */
export function isAnybody({ viewerId, writes }: Caller): boolean {
  return viewerId === "" && !writes;
}

export function impersonation({ viewerId, requestId, address }: Caller): Impersonation {
  return { name: "impersonate", text: impersonate, values: [viewerId || null, requestId, address] };
}

export function impersonationOnStandby(caller: Caller): Impersonation {
  const { after } = caller;
  const position = after ? [String(after.timeline), printLsn(after.lsn)] : [null, null];
  const { values } = impersonation(caller);
  return { name: "impersonate-on-standby", text: impersonateOnStandby, values: [...values, ...position] };
}

/**
 * Each role prepares statements of its own: under policies, PostgreSQL plans a statement for the role that runs it, and anew
 * when another role runs it.
 */
export function roleMark(caller: Caller | undefined): string {
  if (!caller) return "l";
  return caller.viewerId === "" ? "a" : "m";
}
