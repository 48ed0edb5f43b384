import { type ApiError, isApiError } from "@content-service/errors/ApiError.ts";

export const tokenInvalid = tokenError("The access token is not valid.", "TOKEN_INVALID");
export const tokenExpired = tokenError("The access token has expired.", "TOKEN_EXPIRED");

function tokenError(message: string, reason: string) {
  return { name: "TokenError", code: "UNAUTHORIZED", message, extensions: { code: "UNAUTHORIZED", reason }, reason };
}

export const keysUnavailable = {
  name: "KeysUnavailableError",
  code: "SERVICE_UNAVAILABLE",
  message: "Access tokens cannot be checked at the moment.",
  extensions: { code: "SERVICE_UNAVAILABLE" },
};

/**
 * The result of `act`, or all properties of its error except the stack. Refusals with equal properties are the same for
 * a client. `cause` is left out of errors that are not about the token, because only the log shows it.
 */
export async function outcome(act: () => unknown): Promise<unknown> {
  try {
    return await act();
  } catch (error) {
    if (!isApiError(error)) throw error;
    const names = Object.getOwnPropertyNames(error).filter((name) => name !== "stack");
    const shown = names.filter((name) => name !== "cause" || error.code === "UNAUTHORIZED");
    return Object.fromEntries(shown.map((name) => [name, error[name as keyof ApiError]]));
  }
}
