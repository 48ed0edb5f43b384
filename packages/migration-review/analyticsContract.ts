import type { ClientBase, Pool } from "pg";

const contractQuery = `
  select c.relname as view,
         obj_description(c.oid, 'pg_class') as view_comment,
         a.attname as column,
         format_type(a.atttypid, a.atttypmod) as type,
         col_description(c.oid, a.attnum) as column_comment
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'analytics'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
   order by c.relname, a.attnum`;

/**
 * The contract with analysts, as text to compare and review: each view of schema analytics with its comment, then each
 * column with its type and comment.
 */
export async function analyticsContract(client: ClientBase | Pool): Promise<string> {
  const { rows } = await client.query(contractQuery);
  let view = "";
  let text = "";
  for (const row of rows) {
    if (row.view !== view) text += `${view && "\n"}${row.view}: ${row.view_comment}\n`;
    text += `  ${row.column} ${row.type}: ${row.column_comment}\n`;
    view = row.view;
  }
  return text;
}
