import { spawnSync } from "node:child_process";
import { describe, test } from "@jest/globals";

/** Whether this machine has a program, of Debian's or Ubuntu's package of the same name. */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
}

/** For tests that need a program of the machine. Skipped where it is not installed. */
export const describeWith = (program: string) => (hasProgram(program) ? describe : describe.skip);
export const testWith = (program: string) => (hasProgram(program) ? test : test.skip);
