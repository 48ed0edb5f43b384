import { createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import type { Refusal } from "./readRows.ts";

/** As many are listed on stderr. The file has all of them. */
const listed = 100;

/**
 * Lists rows that were refused, and keeps them in a file: as NDJSON with the reason, so that it can be corrected and imported.
 */
export class Rejects {
  readonly path: string;
  count = 0;
  #file: WriteStream | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Removes the file of an earlier import. */
  async clear(): Promise<void> {
    await rm(this.path, { force: true });
  }

  async add({ file, line, reason, json }: Refusal): Promise<void> {
    this.#file ??= createWriteStream(this.path, { flags: "wx", mode: 0o600 });
    const place = `${printable(file)}:${line}: ${printable(reason)}`;
    if (++this.count <= listed) console.error(place);
    if (this.count === listed + 1) console.error(`More rows are refused: ${this.path} has all of them.`);
    const fields = json?.trim().slice(1, -1).trim();
    const rejected = `"rejected":${JSON.stringify(`${file}:${line}: ${reason}`)}`;
    if (!this.#file.write(`{${fields ? `${fields},` : ""}${rejected}}\n`)) {
      await new Promise<void>((resolve) => this.#file?.once("drain", resolve));
    }
  }

  async close(): Promise<void> {
    if (!this.#file) return;
    this.#file.end();
    await finished(this.#file);
  }
}

/** A file's own control characters must not reach the terminal. */
function printable(text: string): string {
  return text
    .replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
    .replace(/[\u007f-\u009f]/g, "?");
}
