import { createHash } from "node:crypto";
import { type Fragments, fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from "graphql";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { ConnectionPage } from "./ConnectionPage.ts";
import {
  alias,
  allowedCount,
  conditions,
  deepOffset,
  deepPageByKey,
  firstOfPartitions,
  orderBy,
  orderOf,
  where,
} from "./clauses.ts";
import { nodeIdOf } from "./cursors.ts";
import { FieldArguments, type Parameter } from "./FieldArguments.ts";
import {
  type ConnectionFieldSource,
  type FieldSource,
  type FoundRows,
  type RowAlias,
  type RowSource,
  type RowsSource,
  sourceOf,
} from "./fieldSource.ts";
import { fallBackToEngine, leaf, notNullOrFallBack } from "./leaf.ts";
import { MutationArguments } from "./MutationArguments.ts";
import { NotCompiled } from "./NotCompiled.ts";
import { nullError } from "./nullErrors.ts";
import { type SelectedFields, selectedFields } from "./selectedFields.ts";
import { Variables } from "./Variables.ts";

/** A statement of a compiled operation. Keeps no reference to the document, which may be much larger. */
export interface CompiledStatement {
  name: string;
  text: string;
  parameters: readonly Parameter[];
  /** The tables and functions that it names, separated by commas. */
  sources: string;
  /** The positions of the parameters that may be keys of rows: integers and UUIDs. */
  keys: readonly number[];
  /** Whether a null of some field is an error, which nullErrors() finds in the result. */
  hasNullErrors: boolean;
}

/** A selected field of an object. */
interface Selected {
  /** Its name in the result. */
  key: string;
  nodes: FieldNode[];
  field: GraphQLField<unknown, unknown>;
  source: FieldSource;
  args: FieldArguments;
}

/** Several items in one SQL list. PostgreSQL's limit is 1,664. */
const maxColumns = 1_000;

/** Where a mutation's result is kept for the statement that reads it. */
const resultSetting = sql`'compiled.result'`;
/** Bytes of PostgreSQL's messages besides the result, at most. */
const bytesOfMessages = 4_096;

/**
 * Compiles a query of plain fields to one statement, or a mutation to two: its function, and what is asked of the result. The
 * last statement returns `data` as JSON text. The document is valid. A subscription is compiled for a page of events, which are in the variables (eventVariables()):
 * its statement returns a JSON array with the text of `data` for each of them, null where there is no row.
 *
 * @param maxBytes the length of the longest result of a mutation
 * @param values the coerced variables
 * @param byValue receives the names of the variables whose values are part of the statement
 * @throws NotCompiled if the engine must execute the operation
 */
export function compile(
  schema: GraphQLSchema,
  maxBytes: number,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
  byValue: Set<string>,
): readonly CompiledStatement[] {
  const type = schema.getRootType(operation.operation);
  if (!type || operation.directives?.length) throw new NotCompiled();
  const compiler = new Compiler(schema, fragmentsOf(document), new Variables(values, byValue));
  const roots = compiler.fieldsOf(type, [operation]);
  const statements = {
    query: () => [compiler.query(type, roots)],
    mutation: () => compiler.mutation(type, roots, maxBytes),
    subscription: () => [compiler.events(type, roots)],
  }[operation.operation]();
  return statements.map((statement) => {
    const { text, values: parameters } = sql.compile(statement);
    const name = createHash("sha256").update(text).digest("base64url");
    const { hasNullErrors } = compiler;
    return { name, text, parameters: parameters as unknown as Parameter[], ...namesIn(text), hasNullErrors };
  });
}

const sourcePattern = /\bfrom ("?[\w$]+"?\."?[\w$]+"?)|("?[\w$]+"?\."?[\w$]+"?)\(/g;
const keyPattern = /\$(\d+)::"?(?:int[248]|uuid)\b/g;

function namesIn(text: string): Pick<CompiledStatement, "sources" | "keys"> {
  const sources = new Set(text.matchAll(sourcePattern).map(([, table, called]) => table ?? called));
  const keys = new Set(text.matchAll(keyPattern).map(([, number]) => Number(number) - 1));
  return { sources: [...sources].sort().join(), keys: [...keys] };
}

/** Each root field's name in the result of a compiled operation, with its selections. */
export function rootFields(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): SelectedFields {
  const compiler = new Compiler(schema, fragmentsOf(document), new Variables(values, new Set()));
  return compiler.fieldsOf(schema.getRootType(operation.operation) as GraphQLObjectType, [operation]);
}

/** No variable of a document has such a name. */
const eventNames = { rowIds: "event.row_id", keys: "event.key" };

/** Variables of a compiled subscription: the events for which it is executed. Ids and keys are numbers and uuids. */
export function eventVariables(events: readonly { rowId: string; key: string }[]): Record<string, unknown> {
  return {
    [eventNames.rowIds]: `{${events.map(({ rowId }) => rowId).join()}}`,
    [eventNames.keys]: `{${events.map(({ key }) => key).join()}}`,
  };
}

function textOf(name: string): Parameter {
  return (variables) => variables[name] as string;
}

const rowIds = textOf(eventNames.rowIds);
const keys = textOf(eventNames.keys);

class Compiler {
  hasNullErrors = false;
  readonly #schema: GraphQLSchema;
  readonly #fragments: Fragments;
  readonly #variables: Variables;

  constructor(schema: GraphQLSchema, fragments: Fragments, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  fieldsOf(type: GraphQLObjectType, nodes: readonly Pick<FieldNode, "selectionSet">[]): SelectedFields {
    const sets = nodes.map(({ selectionSet }) => selectionSet);
    return selectedFields(sets, type, this.#fragments, this.#variables);
  }

  /**
   * The result waits in a setting of the transaction: of one statement, no part would see the rows that the function has
   * written. Of several root fields, each is a transaction of its own, which is the engine's work.
   */
  mutation(type: GraphQLObjectType, roots: SelectedFields, maxBytes: number): SQL[] {
    const [root] = roots;
    if (roots.size !== 1 || !root || root[1][0]?.name.value === "__typename") throw new NotCompiled();
    const [key, nodes] = root;
    const { node, field, source, covered } = this.#described(type, nodes);
    if (source.kind !== "call" || isNonNullType(field.type)) throw new NotCompiled();
    const args = new MutationArguments(this.#schema, field, node, covered, this.#variables);
    const [found, response, written] = [alias("result"), alias("response"), alias("written")];
    // Without a result, the statement can still be planned, by EXPLAIN.
    const kept = sql`nullif(current_setting(${resultSetting}, true), '')`;
    const results = sql`unnest(${kept}::${source.type}[]) as ${found}`;
    let column: SQL;
    if (source.isRow) {
      const { from, json } = this.#object({ field, nodes }, found);
      column = sql`(select ${json} from ${results}, ${from} where ${source.isRow(found)})`;
    } else {
      const value = { kind: "value" as const, codec: source.codec, sql: () => sql`${found}.value`, isNotNull: false };
      column = sql`(select ${leaf(value, field.type, found, args)} from ${results} (value))`;
    }
    const text = sql`select ${rowToJson(response)}::text as text from (select ${column} as ${sql.identifier(key)}) as ${response} offset 0`;
    const call = sql`select set_config(${resultSetting}, array[${source.call(args)}]::text, true) is null`;
    if (maxBytes === Number.POSITIVE_INFINITY) return [call, text];
    const isTooLarge = sql`octet_length(${written}.text) > ${sql.literal(maxBytes - bytesOfMessages)}`;
    return [
      call,
      sql`select case when ${isTooLarge} then ${fallBackToEngine} else ${written}.text end from (${text}) as ${written}`,
    ];
  }

  /** Of each event, the row as it is now. */
  events(type: GraphQLObjectType, roots: SelectedFields): SQL {
    const [root] = roots;
    if (roots.size !== 1 || !root || root[1][0]?.name.value === "__typename") throw new NotCompiled();
    const [key, nodes] = root;
    const { field, source } = this.#described(type, nodes);
    if (source.kind !== "event") throw new NotCompiled();
    const [event, found, response] = [alias("event"), alias(field.name), alias("response")];
    const { from, json } = this.#object({ field, nodes }, found);
    const conditions = sql.join(source.where(found, event), " and ");
    const row = sql`select ${json} as ${sql.identifier(key)} from ${source.from} as ${found}, ${from} where ${conditions}`;
    const text = sql`(select ${rowToJson(response)}::text from (${row}) as ${response})`;
    const events = sql`unnest(${sql.value(rowIds as never)}::text[], ${sql.value(keys as never)}::text[])`;
    return sql`select json_agg(${text} order by ${event}.place)::text from ${events} with ordinality as ${event} (row_id, key, place)`;
  }

  query(query: GraphQLObjectType, roots: SelectedFields): SQL {
    const response = alias("response");
    const columns = this.#columns(query, roots, sql.null, ({ field }) => {
      // A root field that is null for its error, or not at all, leaves the other fields to be read.
      if (isNonNullType(field.type)) throw new NotCompiled();
    });
    return sql`select ${rowToJson(response)}::text from (${columns}) as ${response}`;
  }

  /** `select … as "title", … as "author"` */
  #columns(
    type: GraphQLObjectType,
    fields: SelectedFields,
    row: RowAlias,
    check: (field: Selected) => void = () => {},
  ): SQL {
    return this.#listed(type, fields, (selected) => {
      check(selected);
      return this.#value(selected, row);
    });
  }

  #listed(type: GraphQLObjectType, fields: SelectedFields, write: (selected: Selected) => SQL): SQL {
    if (fields.size > maxColumns) throw new NotCompiled();
    const columns = [...fields].map(([key, nodes]) => {
      const [{ name }] = nodes as [FieldNode];
      const json =
        name.value === "__typename" ? sql`${sql.literal(type.name)}::text` : write(this.#selected(type, key, nodes));
      return sql`${json} as ${sql.identifier(key)}`;
    });
    return sql`select ${sql.join(columns, ", ")}`;
  }

  #described(type: GraphQLObjectType, nodes: FieldNode[]) {
    const [node] = nodes as [FieldNode];
    const field = type.getFields()[node.name.value];
    const plan = (field?.extensions as { grafast?: { plan?: unknown } } | undefined)?.grafast?.plan;
    const described = field && sourceOf({ extensions: field.extensions, plan } as never);
    if (!described) throw new NotCompiled();
    return { node, field, source: described.source, covered: described.args };
  }

  #selected(type: GraphQLObjectType, key: string, nodes: FieldNode[]): Selected {
    const { node, field, source, covered } = this.#described(type, nodes);
    return { key, nodes, field, source, args: new FieldArguments(field, node, covered, this.#variables) };
  }

  #value(selected: Selected, row: RowAlias): SQL {
    const { source, field, args } = selected;
    this.hasNullErrors ||= nullError(source) !== undefined;
    if (source.kind === "value") return leaf(source, field.type, row, args);
    if (source.kind === "nodeId") return nodeIdOf(row, source);
    if (source.kind === "row") return this.#row(selected, source, row);
    if (source.kind === "list") return this.#list(selected, source, row);
    if (source.kind === "connection") return this.#connection(selected, source, row);
    throw new NotCompiled();
  }

  /** The JSON of an object. @returns json: valid where `from` stands in the statement's `from` */
  #object({ field, nodes }: Pick<Selected, "field" | "nodes">, row: RowAlias): { from: SQL; json: SQL } {
    const type = objectType(field);
    const object = alias("object");
    const columns = this.#columns(type, this.fieldsOf(type, nodes), row);
    return { from: sql`lateral (${columns}) as ${object}`, json: rowToJson(object) };
  }

  #row(selected: Selected, source: RowSource, row: RowAlias): SQL {
    const found = alias(selected.field.name);
    const { from, json } = this.#object(selected, found);
    const where = sql.join(source.where(found, row, selected.args), " and ");
    const object = sql`(select ${json} from ${source.from(row, selected.args)} as ${found}, ${from} where ${where})`;
    return isNonNullType(selected.field.type) ? notNullOrFallBack(object, sql`json`) : object;
  }

  #list(selected: Selected, source: RowsSource, row: RowAlias): SQL {
    const { args } = selected;
    const { page } = source;
    // Which rows of a function are null is the engine's to say.
    const list = getNullableType(selected.field.type);
    if (!page || !isListType(list) || !isNonNullType(list.ofType)) throw new NotCompiled();
    const order = orderOf(source, args);
    const limit = allowedCount(args.value("limit") ?? page.defaultSize, page.maxSize);
    const offset = allowedCount(args.value("offset") ?? 0, page.maxOffset);
    const [found, item] = [alias(selected.field.name), alias("item")];
    const { from, json } = this.#object(selected, found);
    const first = source.firstRows?.(row, args, limit + offset);
    const partitions = first ? undefined : source.partitions?.(args);
    const filtersOf = (rows: RowAlias, part: FoundRows) => conditions(part, rows, row, args);
    const far =
      partitions && source.keys && offset >= deepOffset
        ? deepPageByKey(source.from(row, args), source.keys, partitions, order, { limit, offset }, filtersOf)
        : undefined;
    const pageOfRows =
      first?.from ??
      far ??
      (partitions ? firstOfPartitions(partitions, order, false, limit + offset, filtersOf) : source.from(row, args));
    const filters = partitions ? [] : conditions(first ?? source, found, row, args);
    const rows = sql`select ${json} as json from ${pageOfRows} as ${found}, ${from}${where(filters)} order by ${orderBy(found, order, false)} limit ${sql.literal(limit)} offset ${sql.literal(far ? 0 : offset)}`;
    return sql`(select coalesce(json_agg(${item}.json), '[]') from (${rows}) as ${item})`;
  }

  #connection(selected: Selected, source: RowsSource, row: RowAlias): SQL {
    const page = new ConnectionPage(selected.args, source);
    const type = objectType(selected.field);
    const response = alias("connection");
    const columns = this.#listed(type, this.fieldsOf(type, selected.nodes), (part) => {
      switch (connectionFieldOf(part)) {
        case "nodes":
          return page.list(this.#object(part, page.found));
        case "edges":
          return page.list(this.#edge(part, page));
        case "pageInfo":
          return this.#pageInfo(part, page);
        case "totalCount":
          return page.count(row);
        default:
          throw new NotCompiled();
      }
    });
    return sql`(select ${rowToJson(response)} from ${page.from(row)}lateral (${columns}) as ${response})`;
  }

  #edge(edges: Selected, page: ConnectionPage): { from: SQL; json: SQL } {
    const type = objectType(edges.field);
    const edge = alias("edge");
    const columns = this.#listed(type, this.fieldsOf(type, edges.nodes), (part) => {
      if (connectionFieldOf(part) === "cursor") return page.cursor();
      if (connectionFieldOf(part) !== "node") throw new NotCompiled();
      const { from, json } = this.#object(part, page.found);
      return sql`(select ${json} from ${from})`;
    });
    return { from: sql`lateral (${columns}) as ${edge}`, json: rowToJson(edge) };
  }

  #pageInfo(pageInfo: Selected, page: ConnectionPage): SQL {
    const type = objectType(pageInfo.field);
    const info = alias("info");
    const columns = this.#listed(type, this.fieldsOf(type, pageInfo.nodes), (part) =>
      page.info(connectionFieldOf(part)),
    );
    return sql`(select ${rowToJson(info)} from (${columns}) as ${info})`;
  }
}

function objectType(field: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new NotCompiled();
  return type;
}

/** With `.*`: the name alone would mean a column of that name, if a client calls a field so. */
function rowToJson(row: SQL): SQL {
  return sql`row_to_json(${row}.*)`;
}

function connectionFieldOf({ source }: Selected): ConnectionFieldSource["field"] {
  if (source.kind !== "connectionField") throw new NotCompiled();
  return source.field;
}
