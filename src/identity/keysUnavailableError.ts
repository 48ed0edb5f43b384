import { Refusal } from "../errors.ts";

/**
 * The keys that tokens are checked with cannot be had, so nobody can say whether a token is good. The caller is not at
 * fault: 503, try again. `cause` is for the log; it names the address, never a token.
 */
export class KeysUnavailableError extends Refusal {
  constructor(cause: unknown) {
    super("SERVICE_UNAVAILABLE", "Access tokens cannot be checked at the moment.");
    this.name = "KeysUnavailableError";
    this.cause = cause;
  }
}
