import type { ClientBase, Pool } from "pg";

const columnsQuery = `
  select c.relname as table,
         a.attname as column,
         format_type(a.atttypid, a.atttypmod) as type,
         array(select distinct case k.contype when 'p' then 'PK' when 'f' then 'FK' else 'UK' end
                 from pg_catalog.pg_constraint k
                where k.conrelid = c.oid and a.attnum = any (k.conkey) and k.conname !~ '_inherited_fkey$'
                  and (k.contype in ('p', 'f') or k.contype = 'u' and cardinality(k.conkey) = 1)
                order by 1 desc) as keys
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'app_public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname collate "C", a.attnum`;

// Inherited columns repeat another foreign key. A foreign key is "one to one" when its columns are a key of their own table too.
const relationsQuery = `
  select referenced.relname as referenced,
         referencing.relname as referencing,
         array(select a.attname::text from unnest(k.conkey) with ordinality as key (attnum, place)
                 join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = key.attnum
                order by key.place) as columns,
         (select bool_and(a.attnotnull) from pg_catalog.pg_attribute a
           where a.attrelid = k.conrelid and a.attnum = any (k.conkey)) as is_required,
         exists (select from pg_catalog.pg_constraint own
                  where own.conrelid = k.conrelid and own.contype in ('p', 'u')
                    and own.conkey <@ k.conkey) as is_unique
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_class referencing on referencing.oid = k.conrelid and not referencing.relispartition
    join pg_catalog.pg_class referenced on referenced.oid = k.confrelid
   where k.contype = 'f' and k.conname !~ '_inherited_fkey$'
     and referencing.relnamespace = 'app_public'::regnamespace
     and referenced.relnamespace = 'app_public'::regnamespace
   order by referenced.relname collate "C", referencing.relname collate "C", k.conname collate "C"`;

/** The tables of schema app_public, their columns and foreign keys, as a Markdown page with a Mermaid diagram. */
export async function erDiagram(client: ClientBase | Pool): Promise<string> {
  const { rows: columns } = await client.query(columnsQuery);
  const { rows: relations } = await client.query(relationsQuery);
  const tables = Map.groupBy(columns, (row) => row.table as string);
  const entities = [...tables].map(
    ([table, rows]) => `  ${table} {\n${rows.map((row) => `    ${attribute(row)}\n`).join("")}  }\n`,
  );
  const lines = relations.map(
    ({ referenced, referencing, columns, is_required, is_unique }) =>
      `  ${referenced} ${is_required ? "||" : "|o"}--${is_unique ? "o|" : "o{"} ${referencing} : "${columns.join(", ")}"\n`,
  );
  return `# Tables of app_public

\`npm run db:snapshot\` makes this page from the catalogue; \`npm test\` compares it. What each table and column is for stands in
its \`comment on\`, and in [schema.graphql](../schema.graphql).

\`\`\`mermaid
erDiagram
${entities.join("")}${lines.join("")}\`\`\`
`;
}

/** Mermaid's types are one word: without a schema, and with an underscore for a space. */
function attribute({ column, type, keys }: { column: string; type: string; keys: string[] }): string {
  const word = type
    .replace("timestamp with time zone", "timestamptz")
    .replace(/^.*\./, "")
    .replace(/[^\w[\]()-]/g, "_");
  return [word, column, keys.join(", ")].filter(Boolean).join(" ");
}
