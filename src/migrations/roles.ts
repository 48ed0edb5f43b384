import { createHmac } from "node:crypto";
import pg from "pg";
import { roles } from "./gmrc.ts";
import { withClient } from "./withClient.ts";

const wrongPassword = "28P01";
const noSuchRole = "28000";

/**
 * Creates the roles that the migrations name, where they are missing. Idempotent, and safe to run in several processes at
 * once.
 *
 * Roles belong to the server, not to a database, so they are created before the migrations. The login's password is derived
 * from the owner's password: every instance of the service computes the same one, and none has to store it.
 *
 * @param ownerUrl connection string of a role that may create roles
 * @returns the connection string of the role that the service logs in as
 */
export async function ensureRoles(ownerUrl: string): Promise<string> {
  const apiUrl = loginUrl(ownerUrl);
  if (await rolesExist(apiUrl)) return apiUrl;

  const [login, anonymous, member] = [roles.login, roles.anonymous, roles.member].map(pg.escapeIdentifier);
  await withClient(ownerUrl, async (owner) => {
    // One transaction, and one instance at a time: the next start would take a part of the roles for all of them.
    await owner.query("begin; select pg_advisory_xact_lock(hashtext('content-service roles'))");
    for (const role of [roles.anonymous, roles.member, roles.login, roles.analyst]) await createRole(owner, role);
    const password = pg.escapeLiteral(decodeURIComponent(new URL(apiUrl).password));
    await owner.query(`alter role ${login} with login noinherit password ${password}`);
    await owner.query(`grant ${anonymous}, ${member} to ${login}`);
    await owner.query("commit");
  });
  return apiUrl;
}

/** The owner's connection string, with the user and password of the API's login. */
function loginUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  const ownerPassword = decodeURIComponent(url.password);
  url.username = encodeURIComponent(roles.login);
  url.password = createHmac("sha256", ownerPassword).update(`the password of ${roles.login}`).digest("base64url");
  return url.href;
}

/** Whether the API's login can connect and every role exists. A later release may add roles. */
async function rolesExist(apiUrl: string): Promise<boolean> {
  try {
    const { rows } = await withClient(apiUrl, (client) =>
      client.query(
        "select count(*)::int = cardinality($1::name[]) as all_exist from pg_catalog.pg_roles where rolname = any ($1)",
        [Object.values(roles)],
      ),
    );
    return rows[0].all_exist;
  } catch (error) {
    if (error instanceof pg.DatabaseError && (error.code === wrongPassword || error.code === noSuchRole)) return false;
    throw error;
  }
}

/**
 * PostgreSQL has no `create role if not exists`. An advisory lock belongs to one database, so an instance on another
 * database of this server may create the same role at the same time.
 */
async function createRole(owner: pg.Client, name: string): Promise<void> {
  await owner.query(`
    do $do$ begin
      create role ${pg.escapeIdentifier(name)} with nologin;
    exception when duplicate_object or unique_violation then
      null;
    end $do$`);
}
