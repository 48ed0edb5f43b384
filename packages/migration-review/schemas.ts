import type { ClientBase } from "pg";
import type { Project } from "./Project.ts";

/** The project's schemas in a database, those of `publishedSchemas` included. */
export async function schemasOf(
  client: ClientBase,
  { schemas = "", publishedSchemas = [] }: Project,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname::text as name from pg_catalog.pg_namespace
      where (nspname ~ $1 or nspname = any ($2)) and nspname !~ '^(pg_|information_schema$|graphile_migrate$)'
        and not exists (select from pg_catalog.pg_depend
                         where classid = 'pg_catalog.pg_namespace'::regclass and objid = pg_namespace.oid and deptype = 'e')
      order by 1`,
    [schemas, publishedSchemas],
  );
  return rows.map(({ name }) => name);
}
