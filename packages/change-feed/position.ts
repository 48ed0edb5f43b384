import { type ApiError, invalidInput } from "@content-service/errors/ApiError.ts";
import { isRowId, rowId, rowUuid } from "@content-service/support/rowId.ts";
import type { Change, Feed } from "./Feed.ts";

/**
 * The position of an event, as clients receive it: where rows have numbers of their own, the id of the row; else the event's number. A
 * zero before the number tells it from the id of a row, which never begins with one; an updated row has many events, so no id is expected there.
 */
export function writePosition({ hasNumbers, kind }: Feed, { rowId, number }: Pick<Change, "rowId" | "number">): string {
  if (hasNumbers) return rowId;
  return kind === "updated" ? String(number) : `0${number}`;
}

/**
 * Reads a position that a client continues after: one that writePosition() has made, `0` for the beginning, or the id of an added or
 * deleted row, which a client knows from a list.
 *
 * @returns as change_feed.open_positions() takes it. A text that can be none of these becomes a position before the beginning, where nothing
 *   starts: whether the viewer may read the key is told first
 */
export function parsePosition({ hasNumbers, kind, idType }: Feed, position: string): string {
  if (position === "0") return position;
  const number = position.replace(/^0/, "");
  const isNumber = isRowId(number) && (number !== position || kind === "updated");
  if (isNumber && !hasNumbers) return number;
  const id = idType === "uuid" ? rowUuid(position) : rowId(position);
  if (kind === "updated" || id !== position.toLowerCase()) return hasNumbers && idType === "uuid" ? id : "-1";
  return hasNumbers ? id : `row:${id}`;
}

/** There is no event to continue after, or it is no longer kept. */
export function noSuchEvent(message: string): ApiError {
  return invalidInput([{ path: ["after"], field: "after", code: "INVALID_REFERENCE", message }]);
}
