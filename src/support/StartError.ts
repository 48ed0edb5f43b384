/** A start that failed for a reason a person can mend. The message says what is wrong and what to do; no stack helps. */
export class StartError extends Error {
  override readonly name = "StartError";
}
