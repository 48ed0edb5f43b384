import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type pg from "pg";
import { roles } from "./roles.ts";

const wrongPassword = "28P01";
const insufficientPrivilege = "42501";

/**
 * Creates the roles that the migrations name, and gives the API's login a password unless it can log in already.
 * Idempotent, and safe to run in several processes at once.
 *
 * The password is derived from the owner's: every instance of the service computes the same one, and none has to store it.
 * The password of a role that can log in is never changed, because another database of the server may be using it.
 *
 * @param ownerUrl connection string of a role that may create roles
 * @returns the connection string of the role that the service logs in as
 * @throws OperatorError when there is no password to derive from, or the role has another one
 */
export async function ensureRoles(ownerUrl: string): Promise<string> {
  const password = await withClient(ownerUrl, async (owner) => {
    // node-postgres takes it from the URL, PGPASSWORD or .pgpass.
    if (!owner.password) throw new OperatorError(noPassword);
    const derived = createHmac("sha256", owner.password).update(`the password of ${roles.login}`).digest("base64url");
    await prepareRoles(owner, derived);
    return derived;
  });
  const apiUrl = changeConnection(ownerUrl, { user: roles.login, password });
  await withClient(apiUrl, async () => {}).catch((error) => {
    throw sqlStateOf(error.cause) === wrongPassword ? new OperatorError(otherPassword) : error;
  });
  return apiUrl;
}

/** Creates the roles that the migrations name. The API's login cannot log in until it is given a password. */
export function createRoles(owner: pg.ClientBase): Promise<void> {
  return prepareRoles(owner, undefined);
}

const noPassword =
  `DATABASE_URL has no password to derive the password of ${roles.login} from. Set API_DATABASE_URL to a login for ` +
  "requests (docs/operators.md, Roles), or give the owner a password in DATABASE_URL, PGPASSWORD or .pgpass.";
const otherPassword =
  `The role ${roles.login} of this server has a password that is not derived from the owner's password in DATABASE_URL. ` +
  `If another service uses ${roles.login}, set API_DATABASE_URL to a login of this service's own (docs/operators.md, Roles). ` +
  `If the owner's password has changed, run: alter role ${roles.login} nologin; then start again.`;

/**
 * Roles belong to the server, not to a database, so they are created before the migrations.
 *
 * @throws OperatorError when the owner may not do this
 */
async function prepareRoles(owner: pg.ClientBase, password: string | undefined): Promise<void> {
  await createMissing(owner, password).catch(async (error) => {
    if (sqlStateOf(error) !== insufficientPrivilege) throw error;
    await owner.query("rollback");
    throw new OperatorError(
      `The owner in DATABASE_URL may not prepare the roles of the service: ${error.message}. ${await remedy(owner)} ` +
        "(docs/operators.md, Roles).",
    );
  });
}

/**
 * The statements that an administrator runs for the owner. From PostgreSQL 16 on, createrole only covers the roles that one
 * has created, or has been granted with the admin option.
 */
async function remedy(owner: pg.ClientBase): Promise<string> {
  const { rows } = await owner.query<{ name: string; mayCreate: boolean; foreign: string | null }>(
    `select quote_ident(me.rolname) as name, me.rolcreaterole as "mayCreate",
            (select string_agg(quote_ident(rolname), ', ' order by rolname) from pg_catalog.pg_roles
              where rolname = any ($1) and current_setting('server_version_num')::int >= 160000
                and not pg_catalog.pg_has_role(oid, 'usage with admin option')) as foreign
       from pg_catalog.pg_roles as me where rolname = current_user`,
    [Object.values(roles)],
  );
  const [{ name, mayCreate, foreign }] = rows as [(typeof rows)[number]];
  const statements = [
    ...(mayCreate ? [] : [`alter role ${name} createrole`]),
    ...(foreign ? [`grant ${foreign} to ${name} with admin option`] : []),
  ];
  return `Let a superuser run: ${statements.join("; ")}`;
}

async function createMissing(owner: pg.ClientBase, password: string | undefined): Promise<void> {
  const missing = async () => {
    const values = [Object.values(roles), roles.login, [roles.anonymous, roles.member], password];
    const { rows } = await owner.query<{ statement: string }>(missingStatements, values);
    return rows.map(({ statement }) => statement).join(";\n");
  };
  await requireOwnRoles(owner);
  if ((await missing()) === "") return;
  // One transaction, and one instance at a time: the next start would take a part of the roles for all of them.
  await owner.query("begin; select pg_advisory_xact_lock(hashtext('content-service roles'))");
  await owner.query(await missing());
  await owner.query("commit");
}

/**
 * A role that was renamed keeps its rights, and a new one of its name would have none.
 *
 * @throws OperatorError when the server has another role with the rights in this database
 */
async function requireOwnRoles(owner: pg.ClientBase): Promise<void> {
  const known = await owner.query(
    `select from pg_catalog.pg_proc join pg_catalog.pg_namespace on pg_namespace.oid = pronamespace
      where nspname = 'app_private' and proname = 'role_problems' and pg_catalog.pg_has_role(nspowner, 'usage')`,
  );
  if (known.rowCount === 0) return;
  const { rows } = await owner.query<{ subject: string; problem: string; repair: string }>(
    "select subject, problem, repair from app_private.role_problems() where is_renamed",
  );
  const [renamed] = rows;
  if (renamed) throw new OperatorError(`${renamed.subject}: ${renamed.problem}. Repair: ${renamed.repair}`);
}

const missingStatements = readFileSync(new URL("missingRoles.sql", import.meta.url), "utf8");
