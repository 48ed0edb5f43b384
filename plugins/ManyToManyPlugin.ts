import "postgraphile";
import type { PgCodecRelation, PgResource, PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { Build, Fields, FieldsContext } from "./support/fields.ts";
import { describeReads, type Reads } from "./support/reads.ts";

/** One direction through a join table: from a row of the left table to the joined rows of the right table. */
interface Crossing {
  junction: PgResource;
  toLeft: PgCodecRelation;
  toRight: PgCodecRelation;
}

/**
 * A table with the smart tag `@manyToMany` and two foreign keys is a join table, which API clients do not see: each of
 * the joined tables gets a list of the other (`Post.tags`, `Tag.posts`).
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
  for (const crossing of crossings(build).filter(({ toLeft }) => toLeft.remoteResource.codec === scope.pgCodec)) {
    const right = crossing.toRight.remoteResource;
    const typeName = build.inflection.tableType(right.codec);
    const fieldName = build.inflection.camelCase(build.inflection.pluralize(typeName));
    build.extend(
      fields,
      {
        [fieldName]: fieldWithHooks(
          { fieldName, isPgFieldSimpleCollection: true, pgFieldResource: right } as never,
          () =>
            describeReads(
              {
                type: new GraphQLList(new GraphQLNonNull(build.getOutputTypeByName(typeName))),
                description: `The ${fieldName} of this ${scope.pgCodec?.name && build.inflection.camelCase(build.inflection.tableType(scope.pgCodec as never))}.`,
                plan: ($row: PgSelectSingleStep) => cross($row, crossing),
              },
              crossReads(crossing),
            ),
        ),
      },
      `${crossing.junction.name} between ${scope.pgCodec.name} and ${typeName}`,
    );
  }
  return fields;
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
function crossReads({ junction, toLeft, toRight }: Crossing): Reads {
  const right = toRight.remoteResource;
  const where = (found: SQL, row: SQL) => {
    const join = sql.identifier(Symbol(junction.name));
    const conditions = [
      ...joined(join, toRight.localAttributes, found, toRight.remoteAttributes),
      ...joined(join, toLeft.localAttributes, row, toLeft.remoteAttributes),
    ];
    return sql`exists (select from ${junction.from as never} as ${join} where ${sql.join(conditions, " and ")})`;
  };
  return { kind: "list", from: () => right.from as SQL, where: [where], name: right.name };
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
