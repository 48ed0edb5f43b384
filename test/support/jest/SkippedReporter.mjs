import { dirname, relative } from "node:path";

/** Says at the end of a run what was skipped, and what would run it. With SKIP_NOTHING, the run fails then. */
export default class SkippedReporter {
  #skipped = 0;

  async onRunComplete(_contexts, { numPendingTests, testResults }) {
    this.#skipped = numPendingTests;
    if (numPendingTests === 0) return;
    const { findMissing } = await import("../machine.ts");
    const missing = findMissing();
    const files = testResults
      .filter(({ numPendingTests: pending }) => pending > 0)
      .map(({ testFilePath }) => testFilePath);
    const folders = new Set(files.map((file) => relative(process.cwd(), dirname(file))));
    process.stdout.write(
      `${numPendingTests} tests were skipped, in ${[...folders].sort().join(", ")}. ` +
        (missing.length > 0 ? `To run them: ${missing.join("; ")}.` : "Nothing that this machine lacks explains it."),
    );
  }

  /** Jest asks for it at the end: an error fails the run. */
  getLastError() {
    if (this.#skipped > 0 && process.env.SKIP_NOTHING) return new Error(`${this.#skipped} tests were skipped.`);
  }
}
