import { printable } from "@content-service/support/printable.ts";

/** A file chooses its own kinds of entries. Beyond this, they are counted together. */
const maxKinds = 30;
const maxLength = 1_000;

/** The notes of a reader: the entries of an export that it leaves out or changes. */
export class Notes {
  readonly #leftOut = new Map<string, number>();
  readonly #changed = new Map<string, number>();
  readonly #write: (line: string) => void;
  readonly #limit: number;
  #listed = 0;

  /** @param limit as many changes are listed. All are counted */
  constructor(write: (line: string) => void, limit: number) {
    this.#write = write;
    this.#limit = limit;
  }

  /** @param kind in the plural, such as `pages` */
  leaveOut(kind: string): void {
    add(this.#leftOut, kind);
  }

  /** @param details what is special about this one */
  change(file: string, line: number, kind: string, details = kind): void {
    add(this.#changed, kind);
    this.#listed++;
    if (this.#listed <= this.#limit) this.#write(printable(`${file}:${line}: note: ${details}`, maxLength));
    if (this.#listed === this.#limit + 1) this.#write("More is changed: --check lists all.");
  }

  /** The counts, as lines to print. */
  summary(): string[] {
    return [
      ...[...this.#changed].map(([kind, count]) => `${count} × ${kind}`),
      ...(this.#leftOut.size > 0
        ? [`Left out: ${[...this.#leftOut].map((entry) => printable(entry.reverse().join(" "), maxLength)).join(", ")}`]
        : []),
    ];
  }
}

function add(counts: Map<string, number>, kind: string): void {
  const key = counts.has(kind) || counts.size < maxKinds ? kind : "others";
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
