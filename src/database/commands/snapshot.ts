import { readFile, writeFile } from "node:fs/promises";
import { printApi } from "../../graphql/printApi.ts";
import { projectRoot } from "../gmrc.ts";
import { makeShadow } from "../shadow.ts";
import type { Command } from "./command.ts";
import { requireShadow } from "./databases.ts";
import { readSchema } from "./readSchema.ts";

export const snapshotFile = "test/snapshots/schema.graphql";

/** `npm run db:snapshot`: writes down what the API is with every migration, the current one too. */
export const snapshotCommand: Command = {
  options: {},
  async run(databases) {
    const api = printApi((await readSchema(await makeShadow(requireShadow(databases)))).schema);
    const file = new URL(snapshotFile, projectRoot);
    const before = await readFile(file, "utf8").catch(() => "");
    await writeFile(file, api);
    console.log(
      before === api ? `${snapshotFile} is as it was.` : `${snapshotFile} is written: git diff shows what changes.`,
    );
  },
};
