import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { type CommandLine, npxCommand } from "../../migrations/settings.ts";

/** A project as it was before the change: at a commit of git. */
export interface Base {
  /** For the reader: `HEAD`, a branch, or what it is without git. */
  name: string;
  /** @returns undefined where there was no such file */
  read(file: string): string | undefined;
  /** The files of a folder: `migrations/committed/000001-ground.sql`. */
  filesIn(folder: string): Set<string>;
  /** The files below a folder that are different now, committed or not, and still exist. */
  changedIn(folder: string): string[];
  /** The lines of some files (patterns of git) that match an extended regular expression. */
  linesIn(files: string[], pattern: string): { place: string; text: string }[];
}

/**
 * Finds the state of a project before the change. Without git, or before the first commit, that is its committed migrations: the change is
 * `migrations/current`.
 *
 * @param given a commit, branch or tag; by default HEAD
 * @throws OperatorError when git does not find it
 */
export function openBase(directory: string, given: string | undefined, commandLine: CommandLine = npxCommand): Base {
  const name = given ?? "HEAD";
  const { status, stderr } = git(directory, "rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  if (status === 0) return commitBase(directory, name);
  if (given === undefined) return committedBase(directory);
  throw new OperatorError(
    `There is no commit ${name}${stderr?.trim() ? `: ${stderr.trim()}` : ""}. ` +
      `Name another commit, branch or tag: ${commandLine("check --base origin/main")}`,
  );
}

function commitBase(directory: string, name: string): Base {
  return {
    name,
    read(file) {
      const { status, stdout } = git(directory, "show", `${name}:./${file}`);
      return status === 0 ? stdout : undefined;
    },
    filesIn: (folder) =>
      new Set(git(directory, "ls-tree", "--name-only", name, `${folder}/`).stdout.split("\n").filter(Boolean)),
    changedIn(folder) {
      const changed = git(directory, "diff", "--name-only", "--relative", "--diff-filter=d", name, "--", folder);
      const added = git(directory, "ls-files", "--others", "--exclude-standard", folder);
      return `${changed.stdout}${added.stdout}`.split("\n").filter(Boolean).sort();
    },
    linesIn(files, pattern) {
      const { stdout } = git(directory, "grep", "-nE", pattern, name, "--", ...files);
      const lines = stdout.split("\n").map((line) => /^[^:]*:([^:]+:\d+):(.*)$/.exec(line));
      return lines.flatMap((match) => (match ? [{ place: match[1] as string, text: match[2] as string }] : []));
    },
  };
}

function committedBase(directory: string): Base {
  return {
    name: "the last committed migration",
    read: () => undefined,
    filesIn: (folder) =>
      new Set(
        existsSync(join(directory, folder))
          ? readdirSync(join(directory, folder)).map((name) => `${folder}/${name}`)
          : [],
      ),
    changedIn: () => [],
    linesIn: () => [],
  };
}

/** The last commit of a file: `1a2b3c4 Notes have a mood`. */
export function commitOf(directory: string, file: string): string {
  return git(directory, "log", "-1", "--format=%h %s", "--", file).stdout?.trim() || "in no commit";
}

function git(directory: string, ...args: string[]) {
  return spawnSync("git", args, { cwd: directory, encoding: "utf8", maxBuffer: 100_000_000 });
}
