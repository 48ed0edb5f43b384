import { printable } from "@content-service/support/printable.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { readProblems } from "../check/catalogue/problems.ts";
import { checkCommitted, executedHashes, readCommitted } from "../migrations/committed.ts";
import { hasCurrent } from "../migrations/migrate.ts";
import type { Command } from "../Project.ts";

/** `status`: shows which migrations have not run yet, whether `migrations/current` needs a commit, what the API cannot have, and what the project's query of problems finds. */
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
    if (pending.length > 0) return undefined;
    for (const line of project.status ? await withClient(url, project.status) : []) output.log(line);
    const problems = await withClient(url, async (client) => {
      await client.query("begin read only");
      return readProblems(client, project.problems);
    });
    for (const { object, problem, repair } of problems) {
      output.error([printable(`${object}: ${problem}.`, 1_000), ...(repair ? [`Repair: ${repair}`] : [])].join("\n  "));
    }
    // Last, because what is wrong may keep it from being made.
    const leftOut = (await project.api?.readLeftOut?.(url)) ?? [];
    if (leftOut.length > 0) {
      const lines = leftOut.map(({ message, reason, advice }) => `${message} ${reason} ${advice}`);
      output.log(["The API leaves out, or has under another name:", ...lines].join("\n  "));
    }
    return problems.length > 0 ? 1 : undefined;
  },
};
