import { ApiError, unauthorized, unavailable } from "@content-service/errors/ApiError.ts";

/* The errors of subscriptions, as clients receive them. */

/** SERVICE_UNAVAILABLE: the stream cannot be read now. */
export const cannotFollow = (): ApiError => unavailable("This cannot be followed at the moment.");
/** POSITION_LOST: what the subscriber had is not in the history, or no longer kept. It has to begin again. */
export const positionLost = (
  message = "What you have received is no longer in the history. Load the list again, and subscribe without `after`.",
): ApiError => new ApiError("POSITION_LOST", message);
/** UNAUTHORIZED: the subscriber has lost the right to follow this. */
export const mayNotListen = (): ApiError => unauthorized("You may no longer listen to this.", "FORBIDDEN");
/** UNAUTHORIZED: only signed-in users may follow this. */
export const notSignedIn = (): ApiError => unauthorized("Sign in to listen.", "NOT_SIGNED_IN");
