import { readFileSync } from "node:fs";
import { makeFormatError } from "@content-service/errors/formatError.ts";
import { GraphQLError } from "graphql";
import pg from "pg";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import { type Answer, type Person, people, type TestService } from "../support/service.ts";

/** The outcome of an act: "done"; "nothing", as for a missing row; or the error code of the refusal, or its reason MAY_NOT_PUBLISH. */
export type Seen = string;

const roles = readFileSync(new URL("roles.sql", import.meta.url), "utf8");
const content = readFileSync(new URL("../../migrations/permissions.sql", import.meta.url), "utf8").replace(
  /^-- people\.sql comes here.*$/m,
  () => readFileSync(new URL("../support/people.sql", import.meta.url), "utf8"),
);

/** Restores the rows of migrations/permissions.sql. */
export async function resetContent({ database }: TestService): Promise<void> {
  // A value of an enum can be used when the transaction that has added it is committed.
  await database.query(roles);
  await database.query(content);
}

/**
 * Keeps the rows that there are now. @returns restores them, with the next ids, in a fourth of the time of resetContent(), because no
 * trigger runs
 */
export async function keepContent({ database }: TestService): Promise<() => Promise<void>> {
  const tables = await database.query<{ name: string; columns: string; id: string | null }>(`
    select oid::regclass::text as name, string_agg(quote_ident(attname), ', ') as columns,
           max(attname) filter (where attidentity <> '') as id
      from pg_catalog.pg_class join pg_catalog.pg_attribute on attrelid = oid
     where relkind = 'r' and relnamespace in ('app_public'::regnamespace, 'app_private'::regnamespace)
       and attnum > 0 and attgenerated = '' and not attisdropped
     group by oid`);
  const restore = ["begin; set local session_replication_role = replica"];
  for (const { name, columns, id } of tables) {
    const [kept] = await database.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${name} t`);
    restore.push(`delete from ${name}`);
    if (kept?.rows) {
      const rows = `json_populate_recordset(null::${name}, ${pg.escapeLiteral(kept.rows)})`;
      restore.push(`insert into ${name} (${columns}) overriding system value select ${columns} from ${rows}`);
    }
    if (id) {
      const sequence = `pg_get_serial_sequence('${name}', '${id}')`;
      restore.push(`select setval(${sequence}, coalesce(max(${id}), 1), max(${id}) is not null) from ${name}`);
    }
  }
  return async () => void (await database.query([...restore, "commit"].join("; ")));
}

/** The outcome of `sql` in the database itself, for an attacker with the login's password. Rolled back. */
export async function inDatabase({ database }: TestService, person: Person, sql: string): Promise<Seen> {
  try {
    return await rolledBack(database.login, async (login) => {
      // As a request begins: a banned user does not come further.
      const begin = `select set_config('role', role, true), set_config('app.viewer_id', viewer_id, true) from app_hidden.identify(${person === "nobody" ? null : people[person]}, now(), null)`;
      const results = await login.query(`${begin}; ${sql}`);
      // Two statements have two results.
      const { rowCount } = (results as unknown as pg.QueryResult[])[1] as pg.QueryResult;
      return rowCount ? "done" : "nothing";
    });
  } catch (error) {
    return codeOf(error as Error);
  }
}

/** The error code that a client would get. */
export function codeOf(error: Error): string {
  const format = makeFormatError({ error: () => {} });
  const { code, reason } = format(new GraphQLError("", { originalError: error })).extensions ?? {};
  return code === "INTERNAL_SERVER_ERROR" ? error.message : named(code, reason);
}

/** The outcome of a request. NOT_FOUND in a query counts as "nothing". */
export async function throughApi(service: TestService, person: Person, query: string): Promise<Seen> {
  const { data, errors }: Answer = await service.ask(query, { as: person });
  const { code, reason } = errors?.[0]?.extensions ?? {};
  if (isSomething(data)) return "done";
  if (code === undefined || (code === "NOT_FOUND" && !query.startsWith("mutation"))) return "nothing";
  return named(code, reason);
}

/** A reason that the right of a role decides stands for its code. */
function named(code: unknown, reason: unknown): Seen {
  return reason === "MAY_NOT_PUBLISH" ? reason : String(code);
}

function isSomething(value: unknown): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  return Object.values(value).some(isSomething);
}
