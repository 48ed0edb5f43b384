import { relative } from "node:path";

const shown = 10;

/** Says at the end of a run which files took longest, by the clock: a file waits for those that run beside it. */
export default class SlowestReporter {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= shown) return;
    const slowest = testResults.toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime).slice(0, shown);
    const lines = slowest.map(({ testFilePath, perfStats }) => {
      const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(6);
      return `${seconds} s ${relative(process.cwd(), testFilePath)}`;
    });
    process.stdout.write(`\nThe slowest files:\n${lines.join("\n")}\n`);
  }
}
