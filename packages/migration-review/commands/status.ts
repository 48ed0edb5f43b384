import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { checkCommitted } from "../migrations/committed.ts";
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
    output.log(
      (await hasCurrent(migrations))
        ? "migrations/current has a change for npm run db:commit to commit."
        : "migrations/current is empty.",
    );
    if (pending.length === 0 && (await isOpen(url))) {
      output.log(
        "Every login of the server may connect to this database, so analysts of other databases read this one too. As the " +
          "database's owner, run in it: select app_private.revoke_default_rights()",
      );
    }
    if (pending.length === 0 && (await analystsMayLock(url))) {
      output.log(
        "Analysts can take advisory locks, and so stop the service. Only a superuser can revoke that. As one, run in this " +
          "database: select app_private.revoke_default_rights()",
      );
    }
  },
};

/** True for a restored or cloned database, and where the owner of the migrations does not own the database. */
async function isOpen(url: string): Promise<boolean> {
  const { rows } = await withClient(url, (client) =>
    client.query(
      `select from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba))) as acl
        where datname = current_database() and acl.grantee = 0 and acl.privilege_type = 'CONNECT'`,
    ),
  );
  return rows.length > 0;
}

/** True where the database's owner is not a superuser: app_private.revoke_default_rights() had no effect on PostgreSQL's functions. */
async function analystsMayLock(url: string): Promise<boolean> {
  const { rows } = await withClient(url, (client) =>
    client.query(
      `select pg_catalog.has_function_privilege(oid, 'pg_catalog.pg_advisory_lock(bigint)', 'execute') as may_lock
         from pg_catalog.pg_roles where rolname = $1`,
      [roles.analyst],
    ),
  );
  return rows[0]?.may_lock ?? false;
}
