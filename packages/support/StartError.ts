/** A start or a command that failed for a reason its user can fix. The message says what is wrong and what to do. */
export class StartError extends Error {
  override readonly name = "StartError";
}
