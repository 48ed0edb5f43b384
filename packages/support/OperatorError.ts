/** A start or a command that failed for a reason its user can fix. The message says what is wrong and what to do. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
