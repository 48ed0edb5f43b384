import { Refusal } from "../errors.ts";

export type TokenFault = "TOKEN_EXPIRED" | "TOKEN_INVALID";

const messages: Record<TokenFault, string> = {
  TOKEN_EXPIRED: "The access token has expired.",
  TOKEN_INVALID: "The access token is not valid.",
};

/**
 * A token, or what stands in its place, that is not good. It says only whether a new token would help: no cause is kept
 * on purpose, since every hint beyond that helps a forger, and a cause would carry the token's claims into the log.
 */
export class TokenError extends Refusal {
  readonly reason: TokenFault;

  constructor(reason: TokenFault) {
    super("UNAUTHORIZED", messages[reason], { reason });
    this.name = "TokenError";
    this.reason = reason;
  }
}
