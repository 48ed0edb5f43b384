import type { PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { describeSource } from "../compiled/fieldSource.ts";
import type { Field } from "./fields.ts";

/**
 * Says that a field of Subscription reads the row of an event, so that a page of events is one statement.
 *
 * @param columns the columns of the primary key, with what an event has of them
 */
export function describeEventRow(
  field: Field,
  { from, codec }: PgResource,
  columns: Readonly<Record<string, "row_id" | "key">>,
): Field {
  const { attributes } = codec as PgCodecWithAttributes;
  if (typeof from === "function" || Object.keys(columns).some((name) => !attributes[name])) return field;
  const where = (found: SQL, event: SQL) =>
    Object.entries(columns).map(([name, part]) => {
      const value = sql`${event}.${sql.identifier(part)}::${attributes[name]?.codec.sqlType as SQL}`;
      return sql`${found}.${sql.identifier(name)} = ${value}`;
    });
  return describeSource(field, { kind: "event", from, where }, Object.keys(field.args ?? {}));
}
