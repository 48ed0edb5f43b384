import type { RequestCaller } from "../../src/database/requestAccess.ts";

/** A caller with that user's rights, as the pool gets it from a request; an empty id is a visitor. */
export const callerOf = (viewerId: string, more: Partial<RequestCaller> = {}): RequestCaller => ({
  viewerId,
  requestId: "",
  address: "",
  quotaKey: viewerId,
  ...more,
});

/** The role and the user of a statement. */
export const whoAmI = {
  name: "who",
  text: "select concat(current_user, ' ', current_setting('app.viewer_id'))",
  values: [],
};
