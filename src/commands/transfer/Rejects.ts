import { once } from "node:events";
import type { WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { printable } from "@content-service/support/printable.ts";
import type { Refusal } from "./rows.ts";

/** As many are listed on stderr. The file has all of them. */
const listed = 100;

/**
 * Lists rows that were refused, and keeps them in a file: as NDJSON with the reason, so that it can be corrected and imported.
 */
export class Rejects {
  readonly #wish: string;
  #file: WriteStream | undefined;
  /** The file, once there is one. */
  path = "";
  count = 0;

  /** @param wish the name without `.rejects.ndjson`. An earlier file stays: somebody may be correcting it */
  constructor(wish: string) {
    this.#wish = wish;
  }

  async add({ file, line, reason, json }: Refusal): Promise<void> {
    this.#file ??= await this.#create();
    const place = `${file}:${line}: ${reason}`;
    if (++this.count <= listed) console.error(printable(place, 1_000));
    if (this.count === listed + 1) console.error(`More rows are refused: ${this.path} has all of them.`);
    const fields = json?.trim().slice(1, -1).trim();
    const row = `{${fields ? `${fields},` : ""}"rejected":${JSON.stringify(place)}}\n`;
    if (!this.#file.write(row)) await once(this.#file, "drain");
  }

  async #create(): Promise<WriteStream> {
    for (let number = 1; ; number++) {
      this.path = `${this.#wish}${number > 1 ? `-${number}` : ""}.rejects.ndjson`;
      try {
        return (await open(this.path, "wx", 0o600)).createWriteStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") continue;
        throw new OperatorError(
          `The refused rows cannot be written to ${this.path}: ${(error as Error).message}. Name a place: --rejects`,
        );
      }
    }
  }

  async close(): Promise<void> {
    if (!this.#file) return;
    this.#file.end();
    await finished(this.#file);
  }
}
