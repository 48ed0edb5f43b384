import { spawnSync } from "node:child_process";

/** The version that a program of the machine prints, as `1.18`; nothing where there is no such program, or it fails. */
export function versionOf(
  program: string,
  args: readonly string[] = ["--version"],
  pattern = /(\d+)(?:\.(\d+))?/,
): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  const [, major, minor = "0"] = (status === 0 && pattern.exec(stdout + stderr)) || [];
  return major && `${major}.${minor}`;
}

export function isAtLeast(version: string, oldest: string): boolean {
  return version.localeCompare(oldest, "en", { numeric: true }) >= 0;
}
