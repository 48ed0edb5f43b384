import { type PgCodecWithAttributes, type PgResource, pgFromExpressionRuntime, TYPES } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import {
  type CallSource,
  type ConnectionFieldSource,
  describeSource,
  type FieldSource,
  type GivenArguments,
  type RowAlias,
  type RowsSource,
  type ValueSource,
} from "./compiled/fieldSource.ts";
import { NotCompiled } from "./compiled/NotCompiled.ts";
import {
  type Build,
  type Field,
  type FieldContext,
  functionOf,
  isListField,
  relationOf,
  smartTag,
} from "./support/fields.ts";
import { pageOfRows } from "./support/filteredFunction.ts";
import { version } from "./support/version.ts";

type Scope = FieldContext["scope"];

/**
 * Says what each field of the engine reads (`extensions.source`): a column, a row by its key, a relation, the rows of
 * a table or a function, the fields of a connection. One SQL statement is compiled from it for an operation.
 * The plugins that follow add what they do to a field: filters, order, page, format. A field without a description, such as
 * one of a composite column or of a list of values, is left to the engine.
 */
export const FieldSourcesPlugin: GraphileConfig.Plugin = {
  name: "FieldSourcesPlugin",
  version,
  description: "Describes what the fields of the engine read, for compiled operations.",
  schema: { hooks: { GraphQLObjectType_fields_field: describeField } },
};

function describeField(field: Field, build: Build, { scope }: FieldContext): Field {
  const ofConnection = connectionFieldOf(scope);
  if (ofConnection) return describeSource(field, { kind: "connectionField", field: ofConnection });
  const described = columnSource(scope) ?? keySource(scope, build) ?? relationSource(scope) ?? tableSource(scope);
  if (described) return describeSource(field, described.source, described.args);
  const called = functionSource(scope, build);
  if (called) return describeSource(field, called.source, called.args);
  // A plugin that adds a field may describe it.
  const unknown = field.extensions?.source ? undefined : unknownSource(scope);
  return unknown ? describeSource(field, unknown) : field;
}

/** The source of a field that only the engine can read. Plugins describe what they add nonetheless, for its plan. */
function unknownSource(scope: Scope): FieldSource | undefined {
  if (scope.pgFieldAttribute) return engineValue;
  if (scope.isPgRowByUniqueConstraintField) return { kind: "row", from: notCompiled, where: notCompiled };
  const { pgFieldResource: resource } = scope;
  return resource && !resource.isUnique ? rowsSource(scope, resource as PgResource, notCompiled) : undefined;
}

function notCompiled(): never {
  throw new NotCompiled();
}

export const engineValue: ValueSource = { kind: "value", codec: TYPES.text, sql: notCompiled, isNotNull: false };

interface Described {
  source: FieldSource;
  args?: string[];
}

const column = (row: RowAlias, name: string) => sql`${row}.${sql.identifier(name)}`;

function columnSource({ pgFieldAttribute: attribute, pgCodec: codec }: Scope): Described | undefined {
  if (!attribute || attribute.via || attribute.expression || !codec?.attributes) return undefined;
  const name = Object.keys(codec.attributes).find((each) => codec.attributes?.[each] === attribute);
  if (name === undefined || isComposite(attribute.codec.arrayOfCodec ?? attribute.codec)) return undefined;
  // `@notNull` only claims that a column has no nulls.
  const isNotNull = attribute.notNull === true && attribute.extensions?.tags?.notNull === undefined;
  return { source: { kind: "value", codec: attribute.codec, sql: (row) => column(row, name), isNotNull } };
}

function isComposite(codec: PgResource["codec"]): boolean {
  return Boolean(codec.attributes || codec.arrayOfCodec || codec.rangeOfCodec || codec.domainOfCodec);
}

function keySource(scope: Scope, build: Build): Described | undefined {
  const { isPgRowByUniqueConstraintField, pgFieldResource: resource, pgFieldResourceUnique: unique } = scope;
  const from = resource && tableOf(resource);
  if (!isPgRowByUniqueConstraintField || !from || !unique) return undefined;
  const codec = resource.codec as PgCodecWithAttributes;
  const keys = unique.attributes.map((attributeName) => ({
    attributeName,
    argument: build.inflection.attribute({ codec, attributeName }),
    codec: codec.attributes[attributeName]?.codec as never,
  }));
  const where = (found: RowAlias, _row: RowAlias, args: GivenArguments) =>
    keys.map((key) => sql`${column(found, key.attributeName)} = ${args.parameter(key.argument, key.codec)}`);
  return { source: { kind: "row", from: () => from, where }, args: keys.map(({ argument }) => argument) };
}

function relationSource(scope: Scope): Described | undefined {
  const { pgRelationDetails: details, pgRefDetails, isPgSingleRelationField } = scope;
  if (!details || pgRefDetails) return undefined;
  const relation = relationOf(details);
  const from = relation && tableOf(relation.remoteResource);
  if (!from || isPolymorphic(details.codec)) return undefined;
  const join = (found: RowAlias, row: RowAlias) =>
    relation.remoteAttributes.map(
      (remote, i) => sql`${column(found, remote)} = ${column(row, relation.localAttributes[i] as string)}`,
    );
  if (isPgSingleRelationField) return { source: { kind: "row", from: () => from, where: join } };
  const rows = rowsSource(scope, relation.remoteResource, () => from);
  return rows && { source: { ...rows, where: [(found, row) => sql.join(join(found, row), " and ")] } };
}

function tableSource(scope: Scope): Described | undefined {
  const { isRootQuery, pgFieldResource: resource } = scope;
  const from = resource && tableOf(resource);
  const rows = isRootQuery && from ? rowsSource(scope, resource, () => from) : undefined;
  return rows && { source: rows };
}

/** The SQL of a table or a view whose rows have one type; undefined for anything else. */
function tableOf(resource: PgResource): SQL | undefined {
  const { from, codec, parameters, isVirtual } = resource;
  return parameters || isVirtual || isPolymorphic(codec) || !sql.isSQL(from) ? undefined : (from as SQL);
}

function isPolymorphic(codec: PgResource["codec"]): boolean {
  return (codec as PgCodecWithAttributes).polymorphism !== undefined;
}

function rowsSource(scope: Scope, { name }: PgResource, from: (row: RowAlias, args: GivenArguments) => SQL) {
  if (!isListField(scope)) return undefined;
  const kind = scope.isPgFieldConnection ? ("connection" as const) : ("list" as const);
  return { kind, from, where: [], name };
}

/** A function: a field of Query, of Mutation, or of the row that is its first argument. */
function functionSource(scope: Scope, build: Build): Described | undefined {
  const resource = functionOf(scope, build);
  const { from, parameters, codec, isMutation } = resource ?? {};
  if (!resource || !parameters || !codec || typeof from !== "function" || isPolymorphic(codec)) return undefined;
  const isOfRow = !scope.isRootQuery && !scope.isRootMutation;
  const { argDetails } = build.pgGetArgDetailsFromParameters(resource as never, parameters, isOfRow ? 1 : 0);
  if (argDetails.some((detail) => "fetcher" in detail || (!isMutation && isComposite(detail.pgCodec))))
    return undefined;
  const pageArgument = smartTag(resource, "pageArgument");
  const call = (row: RowAlias, args: GivenArguments, page?: SQL): SQL => {
    const given = argDetails.map(({ graphqlArgName, postgresArgName: name, pgCodec }) => ({
      ...(name ? { name } : null),
      ...(args.isGiven(graphqlArgName) ? { placeholder: args.parameter(graphqlArgName, pgCodec) } : null),
    }));
    const paged = page ? [...given, { name: String(pageArgument), placeholder: page }] : given;
    const digests = isOfRow ? [{ placeholder: row }, ...paged] : paged;
    return pgFromExpressionRuntime(from as never, parameters as never, digests as never);
  };
  const args = argDetails.map(({ graphqlArgName }) => graphqlArgName);
  if (isMutation) {
    const source = scope.isRootMutation ? callSource(resource, (given) => call(sql.blank, given)) : undefined;
    return source && { source, args };
  }
  if (!resource.isUnique) {
    const rows = codec.attributes && !resource.isList ? rowsSource(scope, resource, call) : undefined;
    if (!rows || !pageArgument) return rows && { source: rows, args };
    const firstRows: RowsSource["firstRows"] = (row, given, count, after) => {
      const page = after ? undefined : pageOfRows(count);
      return page && { from: call(row, given, page), where: rows.where };
    };
    return { source: { ...rows, firstRows }, args };
  }
  if (codec.attributes) {
    return {
      source: { kind: "row", from: call, where: (found) => [isRow(found, codec as PgCodecWithAttributes)] },
      args,
    };
  }
  if (isComposite(codec.arrayOfCodec ?? codec)) return undefined;
  return { source: { kind: "value", codec, sql: call, isNotNull: false }, args };
}

function callSource({ isUnique, codec }: PgResource, call: CallSource["call"]): CallSource | undefined {
  if (!isUnique) return undefined;
  if (!codec.attributes) return isComposite(codec) ? undefined : { kind: "call", call, codec, type: codec.sqlType };
  // Of a type without a name, a result cannot be kept. The codec's own type may be JSON (CompositeArgumentsPlugin).
  const { schemaName, name } = codec.extensions?.pg ?? {};
  if (codec.isAnonymous || schemaName === undefined || name === undefined) return undefined;
  const type = sql.identifier(schemaName, name);
  return { kind: "call", call, codec, type, isRow: (found) => isRow(found, codec as PgCodecWithAttributes) };
}

/** A function that returns null in place of a composite value gives a row of nulls. */
function isRow(found: RowAlias, codec: PgCodecWithAttributes): SQL {
  const [notNull] = Object.entries(codec.attributes).find(([, attribute]) => attribute.notNull) ?? [];
  return notNull === undefined ? sql`not (${found} is null)` : sql`${column(found, notNull)} is not null`;
}

/** The fields that every connection has. */
function connectionFieldOf(scope: Scope): ConnectionFieldSource["field"] | undefined {
  const { fieldName } = scope;
  if (scope.isPgConnectionTotalCountField) return "totalCount";
  if (scope.isConnectionType) {
    return fieldName === "nodes" || fieldName === "edges" || fieldName === "pageInfo" ? fieldName : undefined;
  }
  if (scope.isConnectionEdgeType) return fieldName === "node" || fieldName === "cursor" ? fieldName : undefined;
  if (scope.isPageInfoHasNextPageField) return "hasNextPage";
  if (scope.isPageInfoHasPreviousPageField) return "hasPreviousPage";
  if (scope.isPageInfoStartCursorField) return "startCursor";
  return scope.isPageInfoEndCursorField ? "endCursor" : undefined;
}
