import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { isObject } from "@content-service/support/isObject.ts";

/** A row of a table: an object in an array in the object `data`, at any depth. */
export interface TableRow {
  table: string;
  /** The line that it begins in. */
  line: number;
  /** Undefined for a row that is too large, no UTF-8, or no JSON. */
  value: Record<string, unknown> | undefined;
  problem?: string;
}

const [quote, backslash, comma, lineFeed] = [0x22, 0x5c, 0x2c, 0x0a];
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d];

/** A container takes memory. */
const maxDepth = 1_000_000;

interface Container {
  isArray: boolean;
  /** The key that it stands at. */
  name: string;
}

/**
 * Reads the rows of one JSON object that can be larger than memory, one row at a time. Only brackets and strings are read outside of rows; parsers of
 * streams that are libraries hold a string of any length, and do not tell lines.
 *
 * @param isWanted other tables are skipped
 * @returns whether the object is complete
 */
export async function* readJsonTables(
  path: string,
  isWanted: (table: string) => boolean,
  maxBytes: number,
  onBytes: (bytes: number) => void,
): AsyncGenerator<TableRow, boolean> {
  const containers: Container[] = [];
  let line = 1;
  let key = "";
  let isString = false;
  let isEscaped = false;
  /** The string under way, where it may be a key. */
  let letters: number[] | undefined;
  let row: { table: string; line: number; depth: number; size: number; pieces: Buffer[] } | undefined;
  let isComplete = false;

  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    onBytes(chunk.length);
    let start = 0;
    const keep = (end: number) => {
      if (!row) return;
      row.size += end - start;
      if (row.size <= maxBytes) row.pieces.push(chunk.subarray(start, end));
      else row.pieces = [];
    };
    for (let place = 0; place < chunk.length; place++) {
      const byte = chunk[place] as number;
      if (byte === lineFeed) line++;
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) {
          isString = false;
          if (letters) key = Buffer.from(letters).toString("utf8");
          letters = undefined;
          continue;
        }
        if (letters && letters.push(byte) > 200) letters = undefined;
        continue;
      }
      if (byte === quote) {
        isString = true;
        if (!row) letters = [];
      } else if (byte === openObject || byte === openArray) {
        const [parent, grandparent] = [containers.at(-1), containers.at(-2)];
        if (!row && byte === openObject && parent?.isArray && grandparent?.name === "data" && isWanted(parent.name)) {
          row = { table: parent.name, line, depth: containers.length, size: 0, pieces: [] };
          start = place;
        }
        if (containers.length > maxDepth) return false;
        containers.push({ isArray: byte === openArray, name: key });
        key = "";
      } else if (byte === closeObject || byte === closeArray) {
        if (containers.pop()?.isArray !== (byte === closeArray)) return false;
        if (row && containers.length === row.depth) {
          keep(place + 1);
          const { table, line: begin, size, pieces } = row;
          row = undefined;
          yield { table, line: begin, ...parse(size > maxBytes ? undefined : Buffer.concat(pieces), maxBytes) };
        }
        isComplete = containers.length === 0;
      } else if (byte === comma) {
        key = "";
      }
    }
    keep(chunk.length);
  }
  return isComplete;
}

function parse(bytes: Buffer | undefined, maxBytes: number): Pick<TableRow, "value" | "problem"> {
  const refuse = (problem: string) => ({ value: undefined, problem });
  if (!bytes) return refuse(`The row is longer than ${maxBytes} bytes.`);
  if (!isUtf8(bytes)) return refuse("The row is not UTF-8.");
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? { value } : refuse("The row is not a JSON object.");
  } catch {
    return refuse("The row is not JSON.");
  }
}
