import type { ClientBase, Pool } from "pg";
import { stringify } from "yaml";

/** A view of schema analytics, which is published for analysts. */
export interface AnalystView {
  name: string;
  comment: string;
  columns: { name: string; type: string; comment: string }[];
}

export async function readAnalystViews(client: ClientBase | Pool): Promise<AnalystView[]> {
  const { rows } = await client.query<AnalystView>(`
    select c.relname as name, obj_description(c.oid, 'pg_class') as comment,
           json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                                      'comment', col_description(c.oid, a.attnum)) order by a.attnum) as columns
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'analytics'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
     group by c.oid
     order by c.relname`);
  return rows;
}

/** The contract with analysts, as text to review: each view with its comment, then each column with its type and comment. */
export function analyticsContract(views: AnalystView[]): string {
  return views
    .map(({ name, comment, columns }) => {
      const lines = columns.map((column) => `  ${column.name} ${column.type}: ${column.comment}\n`);
      return `${name}: ${comment}\n${lines.join("")}`;
    })
    .join("\n");
}

/** The views as a source for dbt, from their comments: https://docs.getdbt.com/docs/build/sources */
export function dbtSources(views: AnalystView[]): string {
  const tables = views.map(({ name, comment, columns }) => {
    const key = /Key: ([\w, ]+)\./.exec(comment)?.[1]?.split(", ") ?? [];
    const tests = key.length === 1 ? ["not_null", "unique"] : ["not_null"];
    const described = columns.map((column) => ({
      name: column.name,
      description: column.comment,
      data_type: column.type,
      ...(key.includes(column.name) && { tests }),
    }));
    return { name, description: comment, columns: described };
  });
  const text = stringify(
    { version: 2, sources: [{ name: "analytics", schema: "analytics", tables }] },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  return `# Written by npm run db:snapshot. Copy it into the models of a dbt project.\n${text}`;
}
