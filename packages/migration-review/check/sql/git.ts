import { spawnSync } from "node:child_process";
import { StartError } from "@content-service/support/StartError.ts";

/**
 * Reads a file of a checkout as it was at the commit `base`.
 *
 * @throws StartError when git does not find the commit or the file
 */
export function readAt(directory: string, base: string, file: string): string {
  const { status, stdout, stderr } = git(directory, "show", `${base}:./${file}`);
  if (status === 0) return stdout;
  throw new StartError(
    `Cannot read ${file} as it was at ${base}: ${stderr.trim() || "git is not installed"}. ` +
      "Name another commit, branch or tag: npm run db:check -- --base origin/main",
  );
}

/** The files of a folder as it was at the commit `base`: `migrations/committed/000001-ground.sql`. */
export function filesAt(directory: string, base: string, folder: string): Set<string> {
  return new Set(git(directory, "ls-tree", "--name-only", base, `${folder}/`).stdout.split("\n").filter(Boolean));
}

/** The files below a folder that differ from the commit `base`, committed or not, and still exist. */
export function changedSince(directory: string, base: string, folder: string): string[] {
  const changed = git(directory, "diff", "--name-only", "--relative", "--diff-filter=d", base, "--", folder);
  const added = git(directory, "ls-files", "--others", "--exclude-standard", folder);
  return `${changed.stdout}${added.stdout}`.split("\n").filter(Boolean).sort();
}

/** The lines of some files (patterns of git) that match an extended regular expression, as they were at the commit `base`. */
export function linesAt(
  directory: string,
  base: string,
  pattern: string,
  files: string[],
): { place: string; text: string }[] {
  const { stdout } = git(directory, "grep", "-nE", pattern, base, "--", ...files);
  const lines = stdout.split("\n").map((line) => /^[^:]*:([^:]+:\d+):(.*)$/.exec(line));
  return lines.flatMap((match) => (match ? [{ place: match[1] as string, text: match[2] as string }] : []));
}

/** The last commit of a file: `1a2b3c4 Notes have a mood`. */
export function commitOf(directory: string, file: string): string {
  return git(directory, "log", "-1", "--format=%h %s", "--", file).stdout?.trim() || "in no commit";
}

function git(directory: string, ...args: string[]) {
  return spawnSync("git", args, { cwd: directory, encoding: "utf8", maxBuffer: 100_000_000 });
}
