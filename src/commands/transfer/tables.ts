import { OperatorError } from "@content-service/support/OperatorError.ts";
import pg from "pg";

/** The kinds of rows that travel, in the order in which they refer to each other. */
export const kinds = ["user", "post", "comment"] as const;
export type Kind = (typeof kinds)[number];

export interface Column {
  name: string;
  type: string;
  isRequired: boolean;
  /** The SQL of its default. */
  defaultValue: string | null;
  /** The kind of row that it refers to, by a foreign key. */
  refersTo: Kind | undefined;
  /** Its key in a file: its name in the API, in snake case. A reference is called `author`, not `author_id`, because it is no id there. */
  key: string;
}

export interface Table {
  kind: Kind;
  /** The SQL name. */
  relation: string;
  /** The columns that travel: all that somebody writes. */
  columns: Column[];
  /** Keys of the table's other columns: not read from files. */
  otherKeys: string[];
  /** The quoted SQL names of all columns, by their names in the API. */
  sqlNames: Record<string, string>;
}

const relations: Record<Kind, string> = {
  user: "app_public.users",
  post: "app_public.posts",
  comment: "app_public.comments",
};

/** The columns of accounts that belong to a user in a file. The others are secrets, or useless in another database. */
export const accountColumns = ["email", "verified_at", "banned_at", "password_hash"];

const findColumns = `
  select kind, a.attname as name, conventions.field_name(a.attrelid, a.attname) as field, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as is_required,
         pg_get_expr(d.adbin, d.adrelid) as default_value,
         a.attname <> 'id' and a.attgenerated = '' and a.attname <> all (conventions.derived_columns(a.attrelid)) as is_written,
         (select other.kind from pg_constraint k join own as other on other.id = k.confrelid
           where k.contype = 'f' and k.conrelid = a.attrelid and k.conkey = array[a.attnum] limit 1) as refers_to
    from own
    join pg_attribute a on a.attrelid = own.id and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum and a.attgenerated = ''
   order by a.attnum`;

interface Found {
  kind: Kind;
  name: string;
  field: string;
  type: string;
  is_required: boolean;
  default_value: string | null;
  is_written: boolean;
  refers_to: Kind | null;
}

/**
 * Reads what users, posts and comments consist of, so that a column of a DBA travels as well. Derived columns do not.
 *
 * @throws OperatorError when the database has not got the tables
 */
export async function readTables(client: pg.ClientBase): Promise<Record<Kind, Table>> {
  const own =
    "with own as (select kind, to_regclass(relation) as id from json_each_text($1) as given (kind, relation))";
  const { rows: found } = await client.query(`${own} select from own where id is null`, [relations]);
  if (found.length > 0)
    throw new OperatorError("The database has no tables for content. Run npm run db:migrate first.");
  const { rows } = await client.query<Found>(`${own} ${findColumns}`, [relations]);
  // A row can refer to rows that are written before it.
  const travels = ({ kind, is_written, refers_to }: Found) =>
    is_written && kinds.indexOf(refers_to ?? kind) <= kinds.indexOf(kind);
  const read = (kind: Kind): Table => {
    const [travelling = [], others = []] = [true, false].map((does) =>
      rows.filter((row) => row.kind === kind && travels(row) === does),
    );
    const otherKeys = others.map(({ field }) => field);
    const sqlNames = Object.fromEntries(
      [...travelling, ...others].map(({ field, name }) => [field, pg.escapeIdentifier(name)]),
    );
    return { kind, relation: relations[kind], columns: travelling.map(toColumn), otherKeys, sqlNames };
  };
  return { user: read("user"), post: read("post"), comment: read("comment") };
}

function toColumn({ name, field, type, is_required, default_value, refers_to }: Found): Column {
  const refersTo = refers_to ?? undefined;
  const key = refersTo ? field.replace(/_id$/, "") : field;
  return { name, type, isRequired: is_required, defaultValue: default_value, refersTo, key };
}

/** The SQL of a column, by its name in the API: that of SQL may be another one. */
export function sqlNameOf({ relation, sqlNames }: Table, field: string): string {
  const name = sqlNames[field];
  if (name === undefined) throw new OperatorError(`${relation} has no column that the API names ${field}.`);
  return name;
}

/** The columns of a table in which its rows refer to each other by ids, as replies to comments do. */
export function ownReferences({ kind, columns }: Table): Column[] {
  return kind === "comment" ? columns.filter(({ refersTo }) => refersTo === kind) : [];
}
