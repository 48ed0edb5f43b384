import type { Random } from "@content-service/testing/Random.ts";

const types =
  `int bigint text date timestamptz numeric float8 boolean uuid json jsonb int[] text[] xml money inet point line tsvector
  int4range int4multirange pg_lsn interval bytea`.split(/\s+/);
const words =
  `thing Thing things line lines point timestamp timestamps subscription subscriptions query node nodes type types post Posts user
  User comment tag date cursor page_info mutation post_edge posts_connection 期间 größe __x 🙂 1st class constructor select null toString
  a_b aB quoted.name with\u0020space`.split(/[\n\t ]+/);

/** Statements that add tables, views, types and functions to the schema `app_public`. Some fail, because their names are taken in SQL. */
export function oddObjects(random: Random, count: number): string[] {
  const tables = ["users", "posts", "comments", "tags"];
  const quoted = (name: string) => `app_public."${name}"`;
  const column = (place: number) => `"${random.pick(words)}${place || ""}" ${random.pick(types)}`;
  const columns = () => Array.from({ length: random.below(5) }, (_, place) => `, ${column(place)}`).join("");
  const key = () => {
    const table = random.pick(tables);
    const name = random.pick([
      `${table.replace(/s$/, "")}_id`,
      "parent",
      "reports_to",
      `original_${table}_id`,
      "post",
      "author_id",
    ]);
    return `, "${name}" bigint references ${quoted(table)}`;
  };
  const makers = [
    (name: string) => {
      const sql = `create table ${quoted(name)} (id bigint primary key${columns()}${random.chance(0.5) ? key() : ""})`;
      tables.push(name);
      return sql;
    },
    (name: string) => `create table ${quoted(name)} () inherits (${quoted(random.pick(tables))})`,
    (name: string) => `create table ${quoted(name)} (id bigint primary key references ${quoted(random.pick(tables))})`,
    (name: string) =>
      `create view ${quoted(name)} with (security_invoker) as select 1::bigint as id, 2 as "${random.pick(words)}"`,
    (name: string) => `create materialized view ${quoted(name)} as select 1 as id`,
    (name: string) => `create type ${quoted(name)} as enum ('A', '${random.pick(words)}!')`,
    (name: string) => `create domain ${quoted(name)} as ${random.pick(types)}`,
    (name: string) => `create type ${quoted(name)} as ("${random.pick(words)}" ${random.pick(types)}, b int)`,
    (name: string) => `create type ${quoted(name)} as range (subtype = int8)`,
    (name: string) =>
      `create function ${quoted(name)}("${random.pick(words)}" ${random.pick(types)}) returns ${random.pick(["", "setof "])}${random.pick(types)}
       language sql ${random.pick(["stable", "volatile"])} as 'select null'`,
    (name: string) =>
      `create function ${quoted(name)}(a ${quoted(random.pick(tables))}, b int) returns int language sql volatile as 'select 1'`,
    (name: string) =>
      `create function app_public."posts_${name}"(posts app_public.posts) returns text language sql stable as 'select ''x'''`,
    () => `alter table ${quoted(random.pick(tables))} add column ${column(9)}`,
    () => `alter table ${quoted(random.pick(tables))} add column${key().slice(1)}`,
  ];
  const name = () => random.pick(words) + (random.chance(0.4) ? "" : random.below(30));
  return Array.from({ length: count }, () => random.pick(makers)(name()));
}

/** Grants all that is there to callers without a token, as a careless DBA does. */
export const grantAll = `grant select on all tables in schema app_public to api_anonymous;
  grant execute on all functions in schema app_public to api_anonymous`;
