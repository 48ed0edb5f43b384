import "postgraphile";
import type { PgCodec } from "postgraphile/@dataplan/pg";
import type { SQL } from "postgraphile/@dataplan/pg/pg-sql2";
import type { Field } from "./Field.ts";

/**
 * A field's source in SQL, from which one statement is compiled for an operation. The field's plan is made from it, too. A plugin that
 * changes the plan itself must change the description; otherwise the engine executes the field.
 */
export type FieldSource =
  | ValueSource
  | NodeIdSource
  | RowSource
  | RowsSource
  | ConnectionFieldSource
  | CallSource
  | EventSource;

/** The alias of the row that a field belongs to. */
export type RowAlias = SQL;

/** The same in SQL and in JavaScript: the text of a value as another type, and that text made from the value's own. */
export interface TextFormat {
  codec: PgCodec;
  shorten(text: string): string;
}

/** A column or a function's result. */
export interface ValueSource {
  kind: "value";
  codec: PgCodec;
  sql(row: RowAlias, args: GivenArguments): SQL;
  /** Whether SQL rules out null. */
  isNotNull: boolean;
  /** Whether null means that the viewer may not see the value, which is an error. */
  isRefusedWhenNull?: boolean;
  /** Another text of the value, for some values of an argument. */
  format?: { argument: string; byDefault: string; formats: Readonly<Record<string, TextFormat>> };
}

/** The row's globally unique id. */
export interface NodeIdSource {
  kind: "nodeId";
  typeName: string;
  key: readonly { attribute: string; codec: PgCodec }[];
}

/** One row, or null. */
export interface RowSource {
  kind: "row";
  from(row: RowAlias, args: GivenArguments): SQL;
  where(found: RowAlias, row: RowAlias, args: GivenArguments): SQL[];
  /** Whether a missing row is an error. */
  isRequired?: boolean;
}

/** A list, or the rows behind a connection. */
export interface RowsSource {
  kind: "list" | "connection";
  from(row: RowAlias, args: GivenArguments): SQL;
  where: Condition[];
  /** The name of the rows, which is part of the engine's cursors. */
  name: string;
  /** A total order. Without one, the engine does the work. */
  order?: readonly Order[];
  /** The orders that clients choose with the argument `orderBy`. */
  choices?: ReadonlyMap<string, readonly Order[]>;
  /** Without it, the engine does the work. */
  page?: PageSizes;
  /** Disjoint sets of rows, of which each has indexes in the list's orders. Together they are all rows that the viewer may see. */
  partitions?(args: GivenArguments): readonly FoundRows[];
  /** The columns of the primary key, where the rows have partitions and a key. */
  keys?: readonly string[] | undefined;
  /**
   * The first rows, or more, where something finds them faster. For the pages of connections.
   *
   * @param after the values of the order's columns at the cursor that the rows come after
   */
  firstRows?(row: RowAlias, args: GivenArguments, count: number, after?: readonly SQL[]): FoundRows | undefined;
  /** The number of all rows, where something knows it without reading them. */
  count?(row: RowAlias, args: GivenArguments): SQL | undefined;
}

/** The sizes of the pages of lists and connections. */
export interface PageSizes {
  /** Rows when no argument says how many. */
  defaultSize: number;
  maxSize: number;
  maxOffset: number;
}

/** A condition of the rows of a list. */
export interface Condition {
  (found: RowAlias, row: RowAlias, args: GivenArguments): SQL | undefined;
  /** The argument that the condition is for. */
  filter?: string;
  /** Whether a plugin has added it to those of the engine's own plan. */
  isAdded?: true;
}

/** Where rows come from that a function finds, and the conditions that it leaves. */
export interface FoundRows {
  from: SQL;
  where: Condition[];
}

export interface Order {
  attribute: string;
  direction: "ASC" | "DESC";
  codec: PgCodec;
  /** The alias of the table with the column, if that is not the list's own. */
  table?: SQL;
  /** A comment that tells cursors of this order from those of others. */
  mark?: SQL;
}

/** A field of a connection, of its edges or of its page information. */
export interface ConnectionFieldSource {
  kind: "connectionField";
  field:
    | "nodes"
    | "edges"
    | "pageInfo"
    | "totalCount"
    | "node"
    | "cursor"
    | "hasNextPage"
    | "hasPreviousPage"
    | "startCursor"
    | "endCursor";
}

/** A mutation: a function with side effects. What it returns is selected from in a statement of its own. */
export interface CallSource {
  kind: "call";
  call(args: GivenArguments): SQL;
  codec: PgCodec;
  /** The SQL type of the result. */
  type: SQL;
  /** Whether the result is a row, and not null. Undefined for a single value. */
  isRow?(found: RowAlias): SQL;
}

/** The row of an event: the field of a subscription, executed for events whose rows are known. */
export interface EventSource {
  kind: "event";
  from: SQL;
  /** @param event a row with the texts `row_id` and `key` */
  where(found: RowAlias, event: RowAlias): SQL[];
}

/** The arguments that a request gives to a field, with the defaults of the schema. */
export interface GivenArguments {
  /** The value for this request: the statement is compiled for it alone. Undefined when it is not given. */
  value(name: string): unknown;
  /** Whether a value other than null is given. */
  isPresent(name: string): boolean;
  /** Whether a value is given, be it null. */
  isGiven(name: string): boolean;
  /** A parameter of the statement, as a value of the codec's type. */
  parameter(name: string, codec: PgCodec): SQL;
}

/** The description, the arguments that it covers, and the plan that it was made for. */
interface DescribedSource {
  source: FieldSource;
  args: readonly string[];
  plan: unknown;
}

declare module "graphql" {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    source?: DescribedSource | undefined;
  }
}

/** Says what a field reads as it is now. @param args those that `reads` covers, in addition to the field's earlier ones */
export function describeSource(field: Field, source: FieldSource, args: readonly string[] = []): Field {
  const covered = [...(field.extensions?.source?.args ?? []), ...args];
  return { ...field, extensions: { ...field.extensions, source: { source, args: covered, plan: field.plan } } };
}

/** Changes a description, from which FieldPlansPlugin makes the plan. @param args those that the change covers */
export function amendSource(
  field: Field,
  change: (source: FieldSource) => FieldSource,
  args: readonly string[] = [],
): Field {
  const described = field.extensions?.source;
  if (!described) return { ...field };
  const source = change(described.source);
  return {
    ...field,
    extensions: { ...field.extensions, source: { ...described, source, args: [...described.args, ...args] } },
  };
}

/** The description of a field's source; undefined when a plugin has changed its plan since, and only the engine knows. */
export function sourceOf({ extensions, plan }: Pick<Field, "extensions" | "plan">): DescribedSource | undefined {
  const described = extensions?.source;
  return described && described.plan === plan ? described : undefined;
}
