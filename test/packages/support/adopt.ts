import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Project } from "./archives.ts";

export interface RunningExample extends AsyncDisposable {
  url: string;
}

/** Starts examples/adopt where it is installed. @throws with what it has printed, unless it prints its URL */
export async function startExample({ directory }: Project, DATABASE_URL: string): Promise<RunningExample> {
  const PATH = `${dirname(process.execPath)}:${process.env["PATH"]}`;
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: directory,
    env: { PATH, DATABASE_URL, PORT: "0", GRAPHILE_ENV: "development" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  let url = "";
  for await (const line of createInterface(child.stdout)) {
    url = /^http:\S+$/.exec(line)?.[0] ?? "";
    if (url) break;
  }
  if (!url) {
    await ended;
    throw new Error(errors);
  }
  child.stdout.resume();
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

/** The lines of examples/adopt that a package has added, by its name: those of its regions. */
export function addedLines(texts: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) {
    for (const [, name = "", lines = ""] of text.matchAll(/#region (\S+)\n(.*?)^[^\n]*#endregion/gms)) {
      counts[name] = (counts[name] ?? 0) + lines.trimEnd().split("\n").length;
    }
  }
  return counts;
}
