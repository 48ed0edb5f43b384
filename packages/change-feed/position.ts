import { type ApiError, invalidInput } from "@content-service/errors/ApiError.ts";
import { isRowId, rowId, rowUuid } from "@content-service/support/rowId.ts";
import type { Change, Feed } from "./Feed.ts";

/** An open_positions() argument that nothing starts after. Whether the viewer may read the key is told first. */
export const noPosition = "-1";

/**
 * The position of an event, as clients receive it: its number, or where rows have numbers of their own the id of the row, and its mark, which
 * an event of another history does not have.
 */
export function writePosition(
  { hasNumbers }: Feed,
  { rowId, number, mark }: Pick<Change, "rowId" | "number" | "mark">,
): string {
  const place = hasNumbers ? rowId : String(number);
  return mark === undefined ? place : `${place}.${(mark >>> 0).toString(36)}`;
}

/**
 * Reads a position that a client continues after: one that writePosition() has made, `0` for the beginning, the id of an added or
 * deleted row, which a client knows from a list, or a position of an earlier release: the number of an updated row's event, or a number after a zero.
 *
 * @returns as change_feed.open_positions() takes it; `noPosition` for a text that can be none of these
 */
export function parsePosition({ hasNumbers, kind, idType }: Feed, position: string): string {
  if (position === "0") return position;
  const idOf = idType === "uuid" ? rowUuid : rowId;
  const isId = (text: string) => idOf(text) === text.toLowerCase();
  const [, place, mark] = /^([\w-]{1,40})\.([0-9a-z]{1,7})$/.exec(position) ?? [];
  if (place && mark) {
    const isPlace = hasNumbers ? isId(place) : isRowId(place);
    return isPlace ? `${hasNumbers ? idOf(place) : place}.${Number.parseInt(mark, 36) | 0}` : noPosition;
  }
  // Events of earlier releases have no mark.
  const number = position.replace(/^0/, "");
  if (!hasNumbers && isRowId(number) && (number !== position || kind === "updated")) return `${number}.0`;
  if (kind === "updated" || !isId(position)) return noPosition;
  return hasNumbers ? idOf(position) : `row:${idOf(position)}`;
}

/** The position is none, whatever the history. */
export function noSuchPosition(message: string): ApiError {
  return invalidInput([{ path: ["after"], field: "after", code: "INVALID_REFERENCE", message }]);
}
