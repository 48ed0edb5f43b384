import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type pg from "pg";
import { roles } from "./roles.ts";

const oldestVersion = 14;
const insufficientPrivilege = "42501";

/** @throws OperatorError when the service cannot work on this database, whatever its tables are */
export async function checkDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    name: string;
    version: number;
    encoding: string;
    isReadOnly: boolean;
    changesCase: boolean;
  }>(`
    select current_database() as name,
           current_setting('server_version_num')::int / 10000 as version,
           current_setting('server_encoding') as encoding,
           -- A standby counts as well.
           current_setting('transaction_read_only')::boolean as "isReadOnly",
           lower('I') = 'i' and upper('i') = 'I' as "changesCase"`);
  const [{ name, version, encoding, isReadOnly, changesCase }] = rows as [(typeof rows)[number]];
  const problem =
    version < oldestVersion
      ? `is of PostgreSQL ${version}; the service needs ${oldestVersion} or newer`
      : encoding !== "UTF8"
        ? `has the encoding ${encoding}; create one with encoding 'UTF8'`
        : !changesCase
          ? "has a locale in which “i” is not the lower case of “I”, as in Turkish, so email addresses would not match; " +
            "create one with another locale, for example C.UTF-8"
          : isReadOnly
            ? "is read-only: it is a standby, or default_transaction_read_only is on; name the primary, or turn that off"
            : undefined;
  if (problem) throw new OperatorError(`The database ${name} ${problem}.`);
}

/**
 * Row-level security does not apply to the owner of a table, and the owner of a function may replace it. So requests run
 * on a login that owns nothing and can become nothing but the roles of the API.
 *
 * @param pool connections of the login that requests use, without another role
 * @throws OperatorError that says what is wrong with the login of these connections
 */
export async function checkLogin(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<{ login: string; problems: string[]; isReadOnly: boolean }>(findProblems, [
      [roles.login, roles.anonymous, roles.member],
      [roles.anonymous, roles.member],
    ])
    .catch(explainRefusal);
  const [{ login, problems, isReadOnly }] = rows as [(typeof rows)[number]];
  if (problems.length > 0) {
    throw new OperatorError(
      `The login ${login} must not serve requests: it ${problems.join(", ")}. ` +
        "Name another login in API_DATABASE_URL (docs/operators.md, Roles).",
    );
  }
  if (isReadOnly)
    throw new OperatorError(`The login ${login} cannot write: default_transaction_read_only is on for it.`);
}

/** @throws OperatorError where the login of requests may not connect, and says what helps; any other error as it is */
export function explainRefusal(error: Error): never {
  const refusal = error.cause instanceof Error ? error.cause : error;
  if (sqlStateOf(refusal) !== insufficientPrivilege) throw error;
  throw new OperatorError(
    `The login of requests may not use the database: ${refusal.message}. Let its owner run: ` +
      `grant ${roles.login} to … (docs/operators.md, Roles)`,
  );
}

/** An owner or superuser is a member of too much to list, so the memberships of other logins only are named. */
const findProblems = `
  select session_user as login,
         current_setting('transaction_read_only')::boolean as "isReadOnly",
         array_remove(array[
           case when rolsuper then 'is a superuser' end,
           case when rolbypassrls and not rolsuper then 'bypasses row-level security' end,
           case when rolcreaterole and not rolsuper then 'may create roles' end,
           case when rolreplication and not rolsuper then 'may replicate the server' end,
           case when exists (select from pg_shdepend
                              where refclassid = 'pg_authid'::regclass and refobjid = login.oid and deptype = 'o'
                                and dbid in (0, (select oid from pg_database where datname = current_database())))
                then 'owns parts of this database' end,
           (select 'can become ' || string_agg(quote_ident(rolname), ' and ' order by rolname)
              from pg_roles
             where pg_has_role(login.oid, pg_roles.oid, 'member') and not login.rolsuper
               and pg_roles.oid <> login.oid and rolname <> all ($1)),
           (select 'cannot become ' || string_agg(name, ' and ')
              from unnest($2::name[]) as name
             where not exists (select from pg_roles
                                where rolname = name and pg_has_role(login.oid, pg_roles.oid, 'member'))),
           case when current_user <> session_user then format('runs as %I', current_user) end
         ], null) as problems
    from pg_roles as login
   where rolname = session_user`;
