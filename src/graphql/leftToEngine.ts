/** Why the engine has executed an operation, and no compiled statement has answered it. */
export type LeftReason =
  /** It has no statement. */
  | "not_compiled"
  /** The statement cannot have a value of this request, such as a bad cursor. */
  | "value"
  /** The statement has no row, so some root field is missing. */
  | "no_row"
  /** PostgreSQL has refused the statement, so both have run. */
  | "error";

export type LeftToEngine = Record<LeftReason, number>;

export function noneLeft(): LeftToEngine {
  return { not_compiled: 0, value: 0, no_row: 0, error: 0 };
}
