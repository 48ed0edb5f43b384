import { rm } from "node:fs/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { commitOf } from "../check/sql/git.ts";
import { readCommitted } from "../migrations/committed.ts";
import { writeCurrent } from "../migrations/currentSql.ts";
import { hasCurrent } from "../migrations/migrate.ts";
import type { Command } from "../Project.ts";

const included = /^--! Included (\S+)$.*?^--! EndIncluded \1$/gms;

/**
 * `uncommit`: moves the newest committed migration back to `migrations/current`, before it is shared. Unlike
 * graphile-migrate's own command, it leaves the shadow database alone: each command that uses that one resets it.
 */
export const uncommitCommand: Command = {
  options: {},
  async run({ databases, directory, environment, migrations: { folder }, output }) {
    if (environment.NODE_ENV === "production") {
      throw new OperatorError("Production has run this migration. Write a new one instead.");
    }
    const newest = (await readCommitted(folder)).at(-1);
    if (!newest) throw new OperatorError("There is no committed migration.");
    if (await hasCurrent(folder)) {
      throw new OperatorError("migrations/current is not empty. Commit its parts or move them away, then uncommit.");
    }
    const commit = commitOf(directory, newest.fullPath);
    await withClient(databases.url, (client) =>
      client.query("delete from graphile_migrate.migrations where hash = $1", [newest.hash]),
    );
    await writeCurrent(folder, newest.body.replace(included, "--!include $1"));
    await rm(newest.fullPath);
    output.log(`${newest.realFilename} (${commit}) is back in migrations/current. The database keeps its changes.`);
    output.log("Another database that has run it will refuse what you commit instead.");
  },
};
