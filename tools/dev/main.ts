import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, watch } from "node:fs";
import { join } from "node:path";

/*
 * `npm run dev`: runs src/start.js of the current directory, and starts it again after each change of the code. Node's own
 * `--watch-path` watches files on Linux, and loses one that an editor, `sed -i` or `git checkout` replaces by a new file.
 */
let wake: (changed?: string) => void;
let isEnding = false;

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    isEnding = true;
    wake();
  });
}

while (!isEnding) {
  const watching = new AbortController();
  const change = new Promise<string | undefined>((resolve) => {
    wake = resolve;
  });
  // Before the start: the service reads what is older, and what is newer starts it again.
  for (const folder of ["src", "plugins", "packages"]) watchFolder(folder, watching.signal);
  const service = spawn(process.execPath, ["src/start.js"], { stdio: "inherit" });
  const end = once(service, "exit");
  const changed = await change;
  watching.abort();
  if (changed) console.log(`\n${changed} has changed. The service starts again.`);
  service.kill("SIGTERM");
  await end;
}

/** Watches a folder before it reads which folders are in it, so a new one is never missed. */
function watchFolder(folder: string, signal: AbortSignal): void {
  // Editors keep hidden files and backups beside those that they open.
  watch(folder, { signal }, (_event, name) => /^\.|~$/.test(name ?? "") || wake(join(folder, name ?? "")));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== "node_modules") watchFolder(join(folder, entry.name), signal);
  }
}
