import { readFileSync } from "node:fs";

/** The unit of /proc, on all processors that Node runs on. */
const ticksPerSecond = 100;

/**
 * The seconds that the processors have worked for this process and all those that ended as its descendants and were waited for. Undefined on a
 * system without /proc, such as macOS.
 *
 * @param serverTimes a file with the lines of /proc/<pid>/stat of daemons, which nobody waits for: stopWithThisProcess() writes them
 */
export function processorSeconds(serverTimes: string): number | undefined {
  try {
    const lines = [readFileSync("/proc/self/stat", "utf8"), ...readFileSync(serverTimes, "utf8").split("\n")];
    return lines.reduce((sum, line) => sum + ticksOf(line), 0) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** utime, stime, cutime and cstime. The name before them may contain anything. */
function ticksOf(line: string): number {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}
