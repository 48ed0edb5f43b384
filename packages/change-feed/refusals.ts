import { type ApiError, unauthorized, unavailable } from "@content-service/errors/ApiError.ts";

/** The errors of subscriptions, as clients receive them. */
export const cannotFollow = (): ApiError => unavailable("This cannot be followed at the moment.");
export const mayNotListen = (): ApiError => unauthorized("You may no longer listen to this.", "FORBIDDEN");
export const notSignedIn = (): ApiError => unauthorized("Sign in to listen.", "NOT_SIGNED_IN");
