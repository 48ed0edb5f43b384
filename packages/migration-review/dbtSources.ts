import type { ClientBase, Pool } from "pg";

const viewsQuery = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as description,
         json_agg(json_build_object('name', a.attname, 'description', col_description(c.oid, a.attnum),
           'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'analytics'::regnamespace and c.relkind in ('v', 'm')
   group by c.oid
   order by c.relname`;

interface View {
  name: string;
  description: string;
  columns: { name: string; description: string; type: string }[];
}

/** The analysts' views as a source for dbt, from their comments: https://docs.getdbt.com/docs/build/sources */
export async function dbtSources(client: ClientBase | Pool): Promise<string> {
  const { rows } = await client.query<View>(viewsQuery);
  const lines = [
    "# Written by npm run db:snapshot. Copy it into the models of a dbt project.",
    "version: 2",
    "sources:",
    "  - name: analytics",
    "    schema: analytics",
    "    tables:",
    ...rows.flatMap(linesOf),
  ];
  return `${lines.join("\n")}\n`;
}

/** A JSON string is also a YAML string. */
const quoted = (text: string) => JSON.stringify(text);

function linesOf({ name, description, columns }: View): string[] {
  const key = /Key: ([\w, ]+)\./.exec(description)?.[1]?.split(", ") ?? [];
  return [
    `      - name: ${name}`,
    `        description: ${quoted(description)}`,
    "        columns:",
    ...columns.flatMap((column) => [
      `          - name: ${column.name}`,
      `            description: ${quoted(column.description)}`,
      `            data_type: ${quoted(column.type)}`,
      ...(key.includes(column.name)
        ? [`            tests: [${key.length === 1 ? "not_null, unique" : "not_null"}]`]
        : []),
    ]),
  ];
}
