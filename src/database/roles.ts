import { createHmac } from "node:crypto";
import pg from "pg";
import { roles } from "./gmrc.ts";

const wrongPassword = "28P01";
const noSuchRole = "28000";

/**
 * Sees to it that the API's roles are there, and answers with the connection string of the one the service logs in as.
 *
 * Roles belong to the server and not to a database, so they come before the migrations and outside of them. Running this
 * twice, or twice at once, does no harm. The login's password is derived from the owner's, so that every instance of the
 * service finds the same one without keeping it anywhere.
 *
 * @param ownerUrl connection string of a role that may create roles
 */
export async function ensureRoles(ownerUrl: string): Promise<string> {
  const apiUrl = loginUrl(ownerUrl);
  if (await canConnect(apiUrl)) return apiUrl;

  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const [login, anonymous, member] = [roles.login, roles.anonymous, roles.member].map(pg.escapeIdentifier);
    // All or nothing, and one instance at a time: half-made roles would look whole to the next start.
    await owner.query("begin; select pg_advisory_xact_lock(hashtext('content-service roles'))");
    await createRole(owner, roles.anonymous);
    await createRole(owner, roles.member);
    await createRole(owner, roles.login);
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

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    return true;
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
