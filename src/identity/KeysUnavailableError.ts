import { ApiError } from "@content-service/errors/ApiError.ts";

/**
 * The keys that tokens are verified with cannot be fetched, so no token can be judged. The client is not at fault: 503,
 * retry. `cause` is for the log; it contains the keys' URL, never a token.
 */
export class KeysUnavailableError extends ApiError {
  constructor(cause: unknown) {
    super("SERVICE_UNAVAILABLE", "Access tokens cannot be checked at the moment.");
    this.name = "KeysUnavailableError";
    this.cause = cause;
  }
}
