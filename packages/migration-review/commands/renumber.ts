import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { committedFiles } from "../migrations/committed.ts";
import { parseMigrationText } from "../migrations/graphileMigrate.ts";
import type { Command } from "../Project.ts";
import { writeCommitted } from "./commit.ts";

/**
 * `renumber 000014-notes.sql`: moves a migration, and those that were committed after it, behind the others, where two branches
 * had one number.
 */
export const renumberCommand: Command = {
  options: {},
  arguments: ["a file of migrations/committed"],
  async run({ migrations: { folder: migrations }, output }, _options, [path = ""]) {
    const files = await committedFiles(migrations);
    const chosen = basename(path);
    if (!files.includes(chosen)) throw new OperatorError(`migrations/committed has no ${chosen}.`);
    let last: { number: number; hash: string | undefined } = { number: 0, hash: undefined };
    const moved: { file: string; headers: Record<string, string | null>; body: string }[] = [];
    for (const file of files) {
      const { headers, body } = parseMigrationText(file, await readFile(join(migrations, "committed", file), "utf8"));
      const follows = headers["Previous"] === (last.hash ?? "-");
      if (file === chosen || !follows) moved.push({ file, headers, body });
      else last = { number: Number.parseInt(file, 10), hash: headers["Hash"] ?? undefined };
    }
    const written: string[] = [];
    for (const { file, headers, body } of moved) {
      const slug = file.replace(/^\d+-?|\.sql$/g, "");
      const sealed = await writeCommitted(migrations, last, slug, headers, body);
      output.log(`${file} is ${sealed.file}.`);
      written.push(sealed.file);
      last = sealed;
    }
    // Not before: nothing is lost when this is interrupted.
    for (const { file } of moved) if (!written.includes(file)) await rm(join(migrations, "committed", file));
  },
};
