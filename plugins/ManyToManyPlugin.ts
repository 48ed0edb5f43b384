import "postgraphile";
import type { PgCodecRelation, PgResource, PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { connection } from "postgraphile/grafast";
import type { Build, Fields, FieldsContext } from "./support/fields.ts";
import { formerName } from "./support/formerName.ts";
import { describeReads, type Reads } from "./support/reads.ts";

/** One direction through a join table: from a row of the left table to the joined rows of the right table. */
export interface Crossing {
  junction: PgResource;
  toLeft: PgCodecRelation;
  toRight: PgCodecRelation;
}

declare global {
  namespace GraphileBuild {
    interface ScopeObjectFieldsField {
      /** The way of a list through a join table. */
      pgCrossing?: Crossing;
    }
  }
}

/**
 * A table with the smart tag `@manyToMany` and two foreign keys is a join table, which API clients do not see: each of
 * the joined tables gets a list and a connection of the other (`Post.tags`, `Post.tagsConnection`, `Tag.posts`, …).
 */
export const ManyToManyPlugin: GraphileConfig.Plugin = {
  name: "ManyToManyPlugin",
  version: "1.0.0",
  schema: {
    entityBehavior: {
      pgResource: { override: { provides: ["manyToMany"], callback: hideJunction } },
      pgResourceUnique: { override: { provides: ["manyToMany"], callback: hideUnique } },
      pgCodecRelation: { override: { provides: ["manyToMany"], callback: hideWayToJunction } },
    },
    hooks: { GraphQLObjectType_fields: addCrossings },
  },
};

type Behavior = GraphileBuild.BehaviorString;

function isJunction(resource: { codec: { extensions?: { tags?: Record<string, unknown> } | undefined } }): boolean {
  return resource.codec.extensions?.tags?.manyToMany !== undefined;
}

function hideJunction(behavior: Behavior, resource: PgResource): Behavior[] {
  return isJunction(resource) ? [behavior, "-*" as Behavior] : [behavior];
}

function hideUnique(behavior: Behavior, [resource]: readonly [PgResource, unknown]): Behavior[] {
  return hideJunction(behavior, resource);
}

function hideWayToJunction(behavior: Behavior, relation: PgCodecRelation): Behavior[] {
  return isJunction(relation.remoteResource) ? [behavior, "-*" as Behavior] : [behavior];
}

function addCrossings(fields: Fields, build: Build, { scope, fieldWithHooks }: FieldsContext): Fields {
  if (!scope.isPgClassType || !scope.pgCodec) return fields;
  const { GraphQLList, GraphQLNonNull } = build.graphql;
  for (const crossing of crossingsFrom(build, scope.pgCodec)) {
    const right = crossing.toRight.remoteResource;
    const typeName = build.inflection.tableType(right.codec);
    const [listName, connectionName] = crossingNames(build, crossing);
    const crossed = `${crossing.junction.name} between ${scope.pgCodec.name} and ${typeName}`;
    const list = fieldWithHooks(
      { fieldName: listName, isPgFieldSimpleCollection: true, pgFieldResource: right, pgCrossing: crossing } as never,
      () =>
        describeReads(
          {
            type: new GraphQLList(new GraphQLNonNull(build.getOutputTypeByName(typeName))),
            plan: ($row: PgSelectSingleStep) => cross($row, crossing),
          },
          crossReads(crossing, "list"),
        ),
    );
    build.extend(fields, { [listName]: list }, crossed);
    if (!build.behavior.pgResourceMatches(right as never, "connection" as never)) continue;
    const paged = fieldWithHooks(
      { fieldName: connectionName, isPgFieldConnection: true, pgFieldResource: right, pgCrossing: crossing } as never,
      () =>
        describeReads(
          {
            type: build.getOutputTypeByName(build.inflection.tableConnectionType(right.codec as never)),
            plan: ($row: PgSelectSingleStep) => connection(cross($row, crossing) as never),
          },
          crossReads(crossing, "connection"),
        ),
    );
    build.extend(fields, { [connectionName]: paged }, crossed);
  }
  return fields;
}

/** The ways through join tables that begin at a table. */
export function crossingsFrom(build: Build, codec: unknown): Crossing[] {
  return crossings(build).filter(({ toLeft }) => toLeft.remoteResource.codec === codec);
}

/** The names of the list and of the connection. `@fieldName` of the foreign key to the right table gives another name. */
export function crossingNames({ inflection }: Build, { toRight }: Crossing): [list: string, connection: string] {
  const { tags } = toRight.extensions ?? {};
  const given = formerName(tags, "formerFieldName") ?? tags?.fieldName;
  const rows = inflection.pluralize(inflection.rowName(toRight.remoteResource.codec));
  const name = inflection.camelCase(given === undefined ? rows : String(given));
  return [inflection.listField(name), inflection.connectionField(name)];
}

function crossings(build: Build): Crossing[] {
  return (Object.values(build.pgResources) as PgResource[])
    .filter((resource) => isJunction(resource) && !resource.parameters)
    .flatMap((junction) => {
      const [one, other, ...rest] = Object.values(junction.getRelations() as Record<string, PgCodecRelation>).filter(
        (relation) => !relation.isReferencee,
      );
      if (!one || !other || rest.length > 0) {
        throw new Error(`@manyToMany: ${junction.name} needs exactly two foreign keys`);
      }
      return [
        { junction, toLeft: one, toRight: other },
        { junction, toLeft: other, toRight: one },
      ];
    });
}

/** Says the same as cross(), in SQL. */
function crossReads({ junction, toLeft, toRight }: Crossing, kind: "list" | "connection"): Reads {
  const right = toRight.remoteResource;
  const where = (found: SQL, row: SQL) => {
    const join = sql.identifier(Symbol(junction.name));
    const conditions = [
      ...joined(join, toRight.localAttributes, found, toRight.remoteAttributes),
      ...joined(join, toLeft.localAttributes, row, toLeft.remoteAttributes),
    ];
    return sql`exists (select from ${junction.from as never} as ${join} where ${sql.join(conditions, " and ")})`;
  };
  return { kind, from: () => right.from as SQL, where: [where], name: right.name };
}

function joined(one: SQL, columns: readonly string[], other: SQL, otherColumns: readonly string[]): SQL[] {
  return columns.map(
    (column, i) => sql`${one}.${sql.identifier(column)} = ${other}.${sql.identifier(otherColumns[i] as string)}`,
  );
}

function cross($row: PgSelectSingleStep, { junction, toLeft, toRight }: Crossing) {
  const $right = toRight.remoteResource.find();
  const join = sql.identifier(Symbol(junction.name));
  const toTheRight = toRight.localAttributes.map(
    (column, i) =>
      sql`${join}.${sql.identifier(column)} = ${$right.alias}.${sql.identifier(toRight.remoteAttributes[i] as string)}`,
  );
  const fromTheLeft = toLeft.localAttributes.map((column, i) => {
    const attribute = toLeft.remoteAttributes[i] as string;
    return sql`${join}.${sql.identifier(column)} = ${$right.placeholder($row.get(attribute) as never)}`;
  });
  $right.where(
    sql`exists (select from ${junction.from as never} as ${join} where ${sql.join([...toTheRight, ...fromTheLeft], " and ")})`,
  );
  return $right;
}
