import type { Caller, DatabaseAccess } from "../../database/adaptor.ts";
import { ApiError } from "../../errors/ApiError.ts";
import { sqlStateOf } from "../../errors/sqlStates.ts";
import type { Statement } from "./compile.ts";

/** @returns `data` as JSON text; undefined if the engine must answer, for example because a row is missing */
export function runStatement(
  access: DatabaseAccess,
  { name, text, parameters }: Statement,
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<string | undefined> {
  const values = parameters.map((parameter) => parameter(variables));
  return access.read(caller, { name, text, values });
}

/** A statement that was stopped, a connection that was lost, a caller who is deleted or banned. */
const finalStates = /^(57014|57P0.|08...|53...|TOKEN)$/;

/**
 * Whether running the operation again, in the engine, would fail alike. The engine runs a statement for each root field, so it
 * may answer some of them. Of any other error, it knows more: of an answer that is too large, which field makes it so.
 */
export function isFinal(error: unknown, rootFields: number): boolean {
  if (error instanceof ApiError) return error.code === "SERVICE_UNAVAILABLE";
  return rootFields === 1 && finalStates.test(sqlStateOf(error));
}
