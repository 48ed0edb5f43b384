import { dirname, relative } from "node:path";

/** Says at the end of a run what was skipped, and what would run it. */
export default class SkippedReporter {
  async onRunComplete(_contexts, { numPendingTests, testResults }) {
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
}
