import { clearLine, cursorTo } from "node:readline";
import { SingleBar } from "cli-progress";

const millisecondsBetweenLines = 5_000;

/** Shows how far a command is on stderr: a bar on a terminal, elsewhere a line every five seconds. */
export class Progress {
  readonly #bar: SingleBar | undefined;
  readonly #startedAt = performance.now();
  #lastLineAt = performance.now();
  #total = 1;

  constructor() {
    if (process.stderr.isTTY) {
      this.#bar = new SingleBar({ format: "{bar} {percentage}% | {duration_formatted} | {words}", hideCursor: true });
    }
  }

  start(total: number): void {
    this.#total = Math.max(total, 1);
    this.#bar?.start(this.#total, 0, { words: "" });
  }

  update(value: number, words: string): void {
    if (this.#bar) {
      this.#bar.update(value, { words });
    } else if (performance.now() - this.#lastLineAt > millisecondsBetweenLines) {
      this.#lastLineAt = performance.now();
      const seconds = Math.round((this.#lastLineAt - this.#startedAt) / 1_000);
      console.error(`${Math.floor((100 * value) / this.#total)}% after ${seconds} s: ${words}`);
    }
  }

  /** Prints a line above the bar. */
  say(line: string): void {
    if (this.#bar) {
      cursorTo(process.stderr, 0);
      clearLine(process.stderr, 0);
    }
    console.error(line);
  }

  stop(): void {
    this.#bar?.stop();
  }
}
