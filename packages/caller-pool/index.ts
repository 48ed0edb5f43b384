/**
 * PostgreSQL transactions as their caller.
 *
 * @packageDocumentation
 */
export { type ApiError, isApiError } from "@content-service/errors/ApiError.ts";
export { findRoute, type Route } from "@content-service/support/route.ts";
export { ByteBudget } from "./ByteBudget.ts";
export { type Caller, type Identify, identifyBySettings } from "./caller.ts";
export { isBlocked, waitingFor } from "./connectionShares.ts";
export {
  type AccessOptions,
  type DatabaseAccess,
  makeDatabaseAccess,
  type NamedStatement,
  type WithCallerClient,
} from "./DatabaseAccess.ts";
export { fillPool } from "./fillPool.ts";
export type { PlainStatement } from "./ImplicitTransaction.ts";
export type { Log } from "./Log.ts";
export { type CallerClient, type ClientQuery, type ClientResult, TransactionEnded } from "./loan.ts";
export { createPool, endPool, extendSocketTimeout, type PoolSettings } from "./pool.ts";
export { Replica, Replicas, type StandbySettings } from "./Replicas.ts";
export { settingDefaults } from "./settingDefaults.ts";
export { beginStatement, type Queryable, type Resting } from "./Transactions.ts";
export { ResultNotRead } from "./transact.ts";
export { latest, parsePosition, printLsn, printPosition, type WalPosition } from "./walPosition.ts";
