import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a program that only prints this. @returns its directory, for PATH */
export function fakeProgram(name: string, text: string, status = 0): string {
  const directory = mkdtempSync(join(tmpdir(), "content-service-program-"));
  writeFileSync(join(directory, name), `#!/bin/sh\necho '${text}'\nexit ${status}\n`, { mode: 0o755 });
  return directory;
}
