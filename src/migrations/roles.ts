import { createHmac } from "node:crypto";
import pg from "pg";
import { roles } from "./gmrc.ts";

const wrongPassword = "28P01";
const noSuchRole = "28000";

/**
 * Sees to it that the roles which the migrations name are there, and answers with the connection string of the one the service logs in as.
 *
 * Roles belong to the server and not to a database, so they come before the migrations and outside of them. Running this
 * twice, or twice at once, does no harm. The login's password is derived from the owner's, so that every instance of the
 * service finds the same one without keeping it anywhere.
 *
 * @param ownerUrl connection string of a role that may create roles
 */
export async function ensureRoles(ownerUrl: string): Promise<string> {
  const apiUrl = loginUrl(ownerUrl);
  if (await isReady(apiUrl)) return apiUrl;

  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const [login, anonymous, member] = [roles.login, roles.anonymous, roles.member].map(pg.escapeIdentifier);
    // All or nothing, and one instance at a time: half-made roles would look whole to the next start.
    await owner.query("begin; select pg_advisory_xact_lock(hashtext('content-service roles'))");
    await createRole(owner, roles.anonymous);
    await createRole(owner, roles.member);
    await createRole(owner, roles.login);
    await createRole(owner, roles.analyst);
    const password = pg.escapeLiteral(decodeURIComponent(new URL(apiUrl).password));
    await owner.query(`alter role ${login} with login noinherit password ${password}`);
    await owner.query(`grant ${anonymous}, ${member} to ${login}`);
    await owner.query("commit");
  } finally {
    await owner.end();
  }
  return apiUrl;
}

/** The owner's connection string with the API's login in its place. */
function loginUrl(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  const ownerPassword = decodeURIComponent(url.password);
  url.username = encodeURIComponent(roles.login);
  url.password = createHmac("sha256", ownerPassword).update(`the password of ${roles.login}`).digest("base64url");
  return url.href;
}

/** Whether the API's login can connect, and no role is missing that a later release has brought. */
async function isReady(apiUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: apiUrl });
  try {
    await client.connect();
    const { rows } = await client.query(
      "select count(*)::int = cardinality($1::name[]) as is_whole from pg_catalog.pg_roles where rolname = any ($1)",
      [Object.values(roles)],
    );
    return rows[0].is_whole;
  } catch (error) {
    if (error instanceof pg.DatabaseError && (error.code === wrongPassword || error.code === noSuchRole)) return false;
    throw error;
  } finally {
    await client.end();
  }
}

/** `create role` has no `if not exists`, and another database's instance may be creating the same one at this moment. */
async function createRole(owner: pg.Client, name: string): Promise<void> {
  await owner.query(`
    do $do$ begin
      create role ${pg.escapeIdentifier(name)} with nologin;
    exception when duplicate_object or unique_violation then
      null;
    end $do$`);
}
