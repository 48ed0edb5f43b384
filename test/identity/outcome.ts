import { ApiError } from "../../src/errors/ApiError.ts";

export const tokenInvalid = {
  name: "TokenError",
  code: "UNAUTHORIZED",
  message: "The access token is not valid.",
  extensions: { code: "UNAUTHORIZED", reason: "TOKEN_INVALID" },
  reason: "TOKEN_INVALID",
};

export const tokenExpired = {
  name: "TokenError",
  code: "UNAUTHORIZED",
  message: "The access token has expired.",
  extensions: { code: "UNAUTHORIZED", reason: "TOKEN_EXPIRED" },
  reason: "TOKEN_EXPIRED",
};

export const keysUnavailable = {
  name: "KeysUnavailableError",
  code: "SERVICE_UNAVAILABLE",
  message: "Access tokens cannot be checked at the moment.",
  extensions: { code: "SERVICE_UNAVAILABLE" },
};

/**
 * What `act` gives, or all that the error it throws holds but for the stack. Two refusals that are alike here can be told
 * apart by nobody. Only `cause` of a fault that is not the token's is left out, for it is the log's.
 */
export async function outcome(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const names = Object.getOwnPropertyNames(error).filter((name) => name !== "stack");
    const shown = names.filter((name) => name !== "cause" || error.code === "UNAUTHORIZED");
    return Object.fromEntries(shown.map((name) => [name, error[name as keyof ApiError]]));
  }
}
