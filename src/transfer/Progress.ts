const millisecondsBetweenLines = 5_000;

/** Says on stderr how far a command is, every five seconds. */
export class Progress {
  readonly #startedAt = performance.now();
  #lastLineAt = performance.now();

  update(value: number, total: number, words: string): void {
    const now = performance.now();
    if (now - this.#lastLineAt < millisecondsBetweenLines) return;
    this.#lastLineAt = now;
    const percent = Math.floor((100 * value) / Math.max(total, 1));
    console.error(`${percent}% after ${Math.round((now - this.#startedAt) / 1_000)} s: ${words}`);
  }
}
