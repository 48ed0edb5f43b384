import { withClient } from "@content-service/support/withClient.ts";
import { checkCommitted, executedHashes, readCommitted } from "../migrations/committed.ts";
import { hasCurrent } from "../migrations/migrate.ts";
import type { Command } from "../Project.ts";

/** `status`: shows which migrations have not run yet, and whether `migrations/current` needs a commit. */
export const statusCommand: Command = {
  options: {},
  async run({ commandLine, databases: { url }, migrations, output, project }) {
    const pending = await checkCommitted(migrations, url);
    output.log(
      pending.length > 0
        ? [`Committed, for ${commandLine("migrate")} to run:`, ...pending.map((file) => file.realFilename)].join("\n  ")
        : "Every committed migration has run.",
    );
    const files = new Set((await readCommitted(migrations.folder)).map(({ filename }) => filename));
    const unknown = [...(await executedHashes(url)).keys()].filter((filename) => !files.has(filename)).sort();
    if (unknown.length > 0) {
      output.log(["The database has run migrations that this checkout does not have:", ...unknown].join("\n  "));
    }
    output.log(
      (await hasCurrent(migrations.folder))
        ? `migrations/current has a change for ${commandLine("commit")} to commit.`
        : "migrations/current is empty.",
    );
    if (pending.length > 0 || !project.status) return undefined;
    for (const line of await withClient(url, project.status)) output.log(line);
    return undefined;
  },
};
