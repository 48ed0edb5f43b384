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
    const servers = new Map(
      readFileSync(serverTimes, "utf8")
        .split("\n")
        .map((line) => [serverOf(line), line]),
    );
    const lines = [readFileSync("/proc/self/stat", "utf8"), ...servers.values()];
    return lines.reduce((sum, line) => sum + ticksOf(line), 0) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

/** The id of the process and the time of its start: each server that shares another one's processes is written once more. */
function serverOf(line: string): string {
  return `${Number.parseInt(line, 10)} ${fieldsOf(line)[19]}`;
}

/** utime, stime, cutime and cstime. */
function ticksOf(line: string): number {
  return fieldsOf(line)
    .slice(11, 15)
    .reduce((sum, field) => sum + Number(field), 0);
}

/** The fields after the name, which may contain anything. */
function fieldsOf(line: string): string[] {
  return line.slice(line.lastIndexOf(")") + 2).split(" ");
}
