import { invalidInput, notFound } from "@content-service/errors/ApiError.ts";
import "postgraphile";
import type { PgCodec, PgCodecWithAttributes, PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type FieldArgs, lambda, type NodeIdHandler, type Step } from "postgraphile/grafast";
import { type GraphQLObjectType, isInputType } from "postgraphile/graphql";
import { describeSource } from "./compiled/fieldSource.ts";
import { type Build, type Field, type FieldContext, primaryKeyOf, resourcesOf, wrapPlan } from "./support/fields.ts";
import { presentRowAsked } from "./support/presentRow.ts";
import { version } from "./support/version.ts";

/**
 * Each table with a primary key has the globally unique `nodeId`, the interface `Node`, `node(nodeId:)` and `nodes(nodeIds:)`, beside the
 * key itself. The engine encodes the type's name and the key, and reads the rows, those of one type in one statement; this plugin says what
 * is refused.
 * `@behavior -type:node` leaves a table out.
 *
 * `@nodeIdOf id` on a column with a table's name makes it the nodeId of the row whose id is in the column `id`: of a deleted one.
 *
 * `nodes` has the records in the order of their ids, and null for each that is not found.
 *
 * @throws NOT_FOUND on `node` as on the field that reads the row by its key, also for a type that does not exist;
 *   VALIDATION_ERROR when a nodeId is no such id
 */
export const NodeIdPlugin: GraphileConfig.Plugin = {
  name: "NodeIdPlugin",
  version,
  description: "Adds nodeId, node(nodeId:) and nodes(nodeIds:) with errors for what they refuse.",
  inflection: { replace: { nodeIdFieldName: () => "nodeId" } },
  schema: {
    hooks: {
      init: { after: ["PgTableNodePlugin"], callback: noteTables },
      GraphQLObjectType_fields: addNodes,
      GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: amendField },
      GraphQLInterfaceType: (config, { inflection }) =>
        config.name === inflection.builtin("Node")
          ? { ...config, description: "A record with a global id.", planType: planTypeOf(config.planType as PlanType) }
          : config,
      GraphQLInterfaceType_fields_field: (field, { inflection }, { scope }) =>
        scope.fieldName === inflection.nodeIdFieldName()
          ? { ...field, description: "Globally unique. Opaque, and never changes." }
          : field,
    },
  },
};

interface Table {
  codec: PgCodecWithAttributes;
  key: readonly string[];
}

/** The table of each type that has a `nodeId`, by the type's name. */
const tablesOf = new WeakMap<object, Map<string, Table>>();

function noteTables<Init>(init: Init, build: Build): Init {
  const handlers = (build.getNodeIdHandlerByTypeName?.() ?? {}) as Record<string, NodeIdHandler>;
  const tables = new Map<string, Table>();
  for (const resource of resourcesOf(build)) {
    const key = primaryKeyOf(resource);
    if (resource.parameters || !resource.codec.attributes || !key) continue;
    const codec = resource.codec as PgCodecWithAttributes;
    const typeName = build.inflection.tableType(codec);
    const handler = handlers[typeName];
    if (!handler || tables.has(typeName)) continue;
    if (handler.codec.name !== "base64JSON") {
      throw new Error(`@nodeIdCodec of ${resource.name}: every nodeId is written as base64JSON. Remove the tag.`);
    }
    tables.set(typeName, { codec, key });
  }
  tablesOf.set(handlers, tables);
  return init;
}

function amendField(field: Field, build: Build, { scope, Self }: FieldContext): Field {
  const tables = tablesOf.get(build.getNodeIdHandlerByTypeName?.() ?? {});
  if (!tables) return field;
  if (scope.isRootNodeField) return checkedNode(field, build, tables);
  if (scope.pgFieldAttribute?.extensions?.tags?.["nodeIdOf"] !== undefined)
    return nodeIdOfRelation(field, build, scope, tables);
  const table = scope.fieldName === build.inflection.nodeIdFieldName() ? tables.get(Self.name) : undefined;
  if (!table || scope.pgFieldAttribute) return field;
  const key = table.key.map((attribute) => ({ attribute, codec: table.codec.attributes[attribute]?.codec as PgCodec }));
  const described = describeSource(field, { kind: "nodeId", typeName: Self.name, key });
  return {
    ...described,
    description: "Globally unique and opaque, for caches and node(nodeId:).",
    extensions: { ...described.extensions, isSameForAll: true },
  };
}

/** A column with the name of a table is the nodeId of that table's row whose id is in another column. */
function nodeIdOfRelation(
  field: Field,
  build: Build,
  { pgFieldAttribute, pgCodec, fieldName }: FieldContext["scope"],
  tables: ReadonlyMap<string, Table>,
): Field {
  const column = String(pgFieldAttribute?.extensions?.tags?.["nodeIdOf"]);
  if (!pgCodec?.attributes?.[column]) throw new Error(`@nodeIdOf ${column} of ${fieldName}: there is no such column`);
  const types = new Map(
    [...tables].map(([typeName, { codec, key }]) => {
      const { schemaName, name } = codec.extensions?.pg ?? {};
      return [`${schemaName}.${name}`, { typeName, codec: codec.attributes[key[0] as string]?.codec as PgCodec, key }];
    }),
  );
  const encode = ([relation, id]: readonly [string | null, string | null]) => {
    // As PostgreSQL writes a regclass, without its quotes.
    const type = types.get(String(relation).replaceAll('"', ""));
    if (type?.key.length !== 1 || id === null) return null;
    return writeNodeId(type.typeName, [type.codec.fromPg(id)]);
  };
  const encoded = wrapPlan(field, ($relation, _args, $row) =>
    lambda([$relation, ($row as PgSelectSingleStep).get(column)] as never, encode as never, true),
  );
  return { ...encoded, type: build.graphql.GraphQLID };
}

/** An item of `nodes`: null when no record can have the id. */
interface Listed {
  nodeId: string | null;
}

type PlanType = ($id: Step, info: unknown) => { $__typename: Step; planForType: (type: GraphQLObjectType) => Step };

const nodeIdOfItem = (id: string | Listed | null) => (typeof id === "object" ? id?.nodeId : id);
const presentOrListed = presentRowAsked((id) => (typeof id === "string" ? notFound() : undefined));

/** Plans `node`, where a missing record is an error, and items of `nodes`, where it is null. */
function planTypeOf(planType: PlanType): PlanType {
  return ($id, info) => {
    const { planForType, ...rest } = planType(lambda($id, nodeIdOfItem as never, true), info);
    return { ...rest, planForType: (type) => presentOrListed(planForType(type), $id) };
  };
}

function addNodes<Fields>(
  fields: Fields,
  build: Build,
  { scope, Self }: { scope: { isRootQuery?: boolean }; Self: GraphQLObjectType },
): Fields {
  const tables = tablesOf.get(build.getNodeIdHandlerByTypeName?.() ?? {});
  const type = build.getTypeByName(build.inflection.builtin("Node"));
  if (!scope.isRootQuery || !tables || !type) return fields;
  const { GraphQLID, GraphQLList, GraphQLNonNull } = build.graphql;
  const argument = `${build.inflection.nodeIdFieldName()}s`;
  const check = (nodeIds: readonly unknown[]) =>
    nodeIds.map(
      (nodeId, i): Listed => ({ nodeId: isKnown(build, tables, nodeId, [argument, i]) ? String(nodeId) : null }),
    );
  const nodes = {
    description: "The records of these nodeIds, of any type, in their order; null for each that is not found.",
    type: new GraphQLList(type as never),
    args: {
      [argument]: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))),
        description: "Their nodeIds.",
      },
    },
    extensions: { sizeArgument: argument },
    plan: (_$root: Step, args: FieldArgs) => lambda(args.getRaw(argument) as never, check as never, true),
  };
  return build.extend(fields as object, { nodes } as object, `Adding nodes to ${Self.name}`) as Fields;
}

function checkedNode(field: Field, build: Build, tables: ReadonlyMap<string, Table>): Field {
  const argument = build.inflection.nodeIdFieldName();
  const check = (nodeId: unknown) => {
    if (!isKnown(build, tables, nodeId, [argument])) throw notFound();
    return nodeId;
  };
  const checked = wrapPlan(field, ($nodeId) => lambda($nodeId, check, true));
  return {
    ...checked,
    description: "The record of this nodeId, of any type, or NOT_FOUND.",
    args: {
      ...field.args,
      [argument]: { ...field.args?.[argument], description: "The record’s nodeId." } as never,
    },
  };
}

/**
 * @returns false for the name of a type that does not exist, or no longer
 * @throws VALIDATION_ERROR at `path` when this is no nodeId
 */
function isKnown(
  build: Build,
  tables: ReadonlyMap<string, Table>,
  nodeId: unknown,
  path: (string | number)[],
): boolean {
  const [typeName, ...key] = readNodeId(String(nodeId)) ?? [];
  const table = tables.get(String(typeName));
  if (typeName !== undefined && !table) return false;
  if (table && isKeyOf(build, table, key)) return true;
  const message = "This is not the nodeId of a record.";
  throw invalidInput([{ path, field: String(path[0]), code: "FORMAT", message }]);
}

/** As the engine does. */
export function writeNodeId(typeName: string, key: readonly unknown[]): string {
  return Buffer.from(JSON.stringify([typeName, ...key]), "utf8").toString("base64");
}

/** The type's name and the key's values; undefined for anything that the engine does not write. */
function readNodeId(nodeId: string): unknown[] | undefined {
  const json = Buffer.from(nodeId, "base64").toString("utf8");
  if (Buffer.from(json, "utf8").toString("base64") !== nodeId) return undefined;
  try {
    const read: unknown = JSON.parse(json);
    return Array.isArray(read) && typeof read[0] === "string" ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the values are such as an argument of the key's types would accept. */
function isKeyOf(build: Build, { codec, key }: Table, values: readonly unknown[]): boolean {
  if (values.length !== key.length) return false;
  return key.every((attribute, i) => {
    const type = build.getGraphQLTypeByPgCodec(codec.attributes[attribute]?.codec as never, "input");
    if (!isInputType(type) || !("parseValue" in type)) return false;
    try {
      return (type.parseValue(values[i]) ?? null) !== null;
    } catch {
      return false;
    }
  });
}
