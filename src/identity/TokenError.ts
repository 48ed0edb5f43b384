import { ApiError } from "@content-service/errors/ApiError.ts";

export type TokenFault = "TOKEN_EXPIRED" | "TOKEN_INVALID";

const messages: Record<TokenFault, string> = {
  TOKEN_EXPIRED: "The access token has expired.",
  TOKEN_INVALID: "The access token is not valid.",
};

/**
 * A bad token. The error says only whether a new token would help, and keeps no cause on purpose: every further hint helps
 * a forger, and a cause would write the token's claims to the log.
 */
export class TokenError extends ApiError {
  readonly reason: TokenFault;

  constructor(reason: TokenFault) {
    super("UNAUTHORIZED", messages[reason], { reason });
    this.name = "TokenError";
    this.reason = reason;
  }
}
