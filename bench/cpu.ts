import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** The processor time that a process has used so far, in milliseconds, with that of its children that have ended. */
export function cpuOf(pid: number): number {
  return ticksOf(fieldsOf(pid)) * (1_000 / ticksPerSecond);
}

/** The same of a process and all of its children: PostgreSQL has one for each connection. */
export function cpuOfFamily(pid: number): number {
  const children = readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && fieldsOf(Number(name))[1] === String(pid),
  );
  return [pid, ...children.map(Number)].reduce((sum, one) => sum + cpuOf(one), 0);
}

/** The fields of /proc/pid/stat from the third on, the state. A process that has ended has none. */
function fieldsOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** utime, stime, cutime, cstime: fields 14 to 17 of the file. */
function ticksOf(fields: string[]): number {
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}
