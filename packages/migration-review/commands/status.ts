import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { checkCommitted, executedHashes, readCommitted } from "../migrations/committed.ts";
import { roles } from "../migrations/gmrc.ts";
import { hasCurrent } from "../migrations/migrate.ts";
import type { Command } from "./command.ts";

/** `npm run db:status`: shows which migrations have not run yet, and whether `migrations/current` needs a commit. */
export const statusCommand: Command = {
  options: {},
  async run({ databases: { url }, directory, output }) {
    const migrations = join(directory, "migrations");
    const pending = await checkCommitted(migrations, url);
    output.log(
      pending.length > 0
        ? ["Committed, for npm run db:migrate to run:", ...pending.map((file) => file.realFilename)].join("\n  ")
        : "Every committed migration has run.",
    );
    const files = new Set((await readCommitted(migrations)).map(({ filename }) => filename));
    const unknown = [...(await executedHashes(url)).keys()].filter((filename) => !files.has(filename)).sort();
    if (unknown.length > 0) {
      output.log(["The database has run migrations that this checkout does not have:", ...unknown].join("\n  "));
    }
    output.log(
      (await hasCurrent(migrations))
        ? "migrations/current has a change for npm run db:commit to commit."
        : "migrations/current is empty.",
    );
    if (pending.length > 0) return undefined;
    const { isOpen, analystsMayLock } = await readRights(url);
    if (isOpen) {
      output.log(
        "Every login of the server may connect to this database, so analysts of other databases read this one too. As the " +
          "database's owner, run in it: select app_private.revoke_default_rights()",
      );
    }
    if (analystsMayLock) {
      output.log(
        "Analysts can take advisory locks, and so stop the service. Only a superuser can revoke that. As one, run in this " +
          "database: select app_private.revoke_default_rights()",
      );
    }
  },
};

/**
 * A restored or cloned database is open, and so is one that the owner of the migrations does not own. Analysts may lock where that owner
 * is not a superuser: app_private.revoke_default_rights() had no effect on PostgreSQL's functions.
 */
function readRights(url: string): Promise<{ isOpen: boolean; analystsMayLock: boolean }> {
  return withClient(url, async (client) => {
    const { rows } = await client.query(
      `select exists (select from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as acl
                       where datname = current_database() and acl.grantee = 0 and acl.privilege_type = 'CONNECT') as "isOpen",
              exists (select from pg_catalog.pg_roles
                       where rolname = $1 and pg_catalog.has_function_privilege(oid, 'pg_catalog.pg_advisory_lock(bigint)', 'execute')
              ) as "analystsMayLock"`,
      [roles.analyst],
    );
    return rows[0];
  });
}
