import type { PgCodecRelation, PgResource, PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { connection } from "postgraphile/grafast";
import { describeSource, type FieldSource } from "./compiled/fieldSource.ts";
import { type Build, type Field, type Fields, type FieldsContext, resourcesOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

/** One direction through a join table: from a row of the left table to the joined rows of the right table. */
export interface Crossing {
  junction: PgResource;
  /** The join table's alias in the statement. */
  alias: SQL;
  toLeft: PgCodecRelation;
  toRight: PgCodecRelation;
}

declare global {
  namespace GraphileBuild {
    interface Inflection {
      /** The name of what a join table leads to, before listField() and connectionField(). */
      manyToManyRelation(this: Inflection, crossing: Crossing): string;
    }
    interface ScopeObjectFieldsField {
      /** The way of a list or a connection through a join table. */
      pgCrossing?: Crossing;
    }
  }
}

/**
 * A table with the smart tag `@manyToMany` and two foreign keys (of several, those of the primary key) is a join table, which API clients do not see: each of
 * the joined tables gets a list and a connection of the other (`Post.tags`, `Tag.postsConnection`, …).
 *
 * The comment of a foreign key speaks of the lists from the row that it refers to: `@listOrder added_at desc, tag_id` orders them by
 * columns of the join table (ListOrderPlugin), `@backwardBehavior -list` leaves the list out, and `-connection` the connection.
 */
export const ManyToManyPlugin: GraphileConfig.Plugin = {
  name: "ManyToManyPlugin",
  version,
  description: "Adds lists and connections through join tables: @manyToMany.",
  inflection: {
    add: {
      // `@fieldName` of the foreign key to the right table gives another name.
      manyToManyRelation(_options, { toRight }) {
        const given = toRight.extensions?.tags?.fieldName;
        const rows = this.pluralize(this.tableType(toRight.remoteResource.codec));
        return this.camelCase(given === undefined ? rows : String(given));
      },
    },
  },
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
    const names = crossingFields(build, crossing);
    const add = (fieldName: string, kind: "list" | "connection", field: () => Field) => {
      const way = { fieldName, pgFieldResource: right, pgCrossing: crossing };
      const shape = kind === "list" ? { isPgFieldSimpleCollection: true } : { isPgFieldConnection: true };
      const read = () => describeSource(field(), crossedRows(crossing, kind));
      const crossed = `${crossing.junction.name} between ${scope.pgCodec?.name} and ${typeName}`;
      build.recoverable(fields, () =>
        build.extend(fields, { [fieldName]: fieldWithHooks({ ...way, ...shape } as never, read) }, crossed),
      );
    };
    if (names.list !== undefined) {
      add(names.list, "list", () => ({
        type: new GraphQLList(new GraphQLNonNull(build.getOutputTypeByName(typeName))),
        plan: ($row: PgSelectSingleStep) => cross($row, crossing),
      }));
    }
    if (names.connection !== undefined) {
      add(names.connection, "connection", () => ({
        type: build.getOutputTypeByName(build.inflection.tableConnectionType(right.codec as never)),
        plan: ($row: PgSelectSingleStep) => connection(cross($row, crossing) as never),
      }));
    }
  }
  return fields;
}

/** The ways through join tables that begin at a table. */
export function crossingsFrom(build: Build, codec: unknown): Crossing[] {
  return crossings(build).filter(({ toLeft }) => toLeft.remoteResource.codec === codec);
}

/** The names of its fields. */
export function crossingFields(build: Build, crossing: Crossing): { list?: string; connection?: string } {
  const { behavior, inflection } = build;
  const { toLeft, toRight } = crossing;
  const hidden = String(toLeft.extensions?.tags?.["backwardBehavior"] ?? "").split(/\s+/);
  const hasConnection = behavior.pgResourceMatches(toRight.remoteResource as never, "connection" as never);
  const name = inflection.manyToManyRelation(crossing);
  return {
    ...(!hidden.includes("-list") && { list: inflection.listField(name) }),
    ...(hasConnection && !hidden.includes("-connection") && { connection: inflection.connectionField(name) }),
  };
}

/** By the registry of the schema. */
const found = new WeakMap<object, Crossing[]>();

function crossings(build: Build): Crossing[] {
  const { pgRegistry } = build.input;
  const all =
    found.get(pgRegistry) ??
    resourcesOf(build)
      .filter((resource) => isJunction(resource) && !resource.parameters)
      .flatMap((junction) => {
        const [one, other] = joinedBy(junction);
        const alias = sql.identifier(Symbol(junction.name));
        return [
          { junction, alias, toLeft: one, toRight: other },
          { junction, alias, toLeft: other, toRight: one },
        ];
      });
  found.set(pgRegistry, all);
  return all;
}

/** The two foreign keys that join: those of the primary key's columns, else the ones whose columns come first. Later keys change nothing. */
function joinedBy(junction: PgResource): [PgCodecRelation, PgCodecRelation] {
  const primary = junction.uniques.find(({ isPrimary }) => isPrimary)?.attributes ?? [];
  const columns = Object.keys(junction.codec.attributes ?? {});
  const rankOf = ({ localAttributes }: PgCodecRelation) =>
    (localAttributes.every((name) => primary.includes(name)) ? 0 : columns.length) +
    Math.min(...localAttributes.map((name) => columns.indexOf(name)));
  const [one, other] = Object.values(junction.getRelations() as Record<string, PgCodecRelation>)
    // A foreign key of inherited columns repeats one of the two, and the API does not show it.
    .filter(({ isReferencee, extensions }) => !isReferencee && ![extensions?.tags?.behavior].flat().includes("-*"))
    .sort((a, b) => rankOf(a) - rankOf(b));
  if (one && other) return [one, other];
  throw new Error(`@manyToMany: ${junction.name} needs two foreign keys`);
}

/** Whether the order of the list needs columns of the join table. */
function isOrderedByJunction({ toLeft }: Crossing): boolean {
  return toLeft.extensions?.tags?.listOrder !== undefined;
}

/**
 * The condition that links a row of the right table to one of the left table. Without an order by the join table, no row of that is needed
 * beside the right one's.
 *
 * @param left the value of a column of the left row
 */
function linked(crossing: Crossing, right: SQL, left: (column: string) => SQL): SQL {
  const { junction, alias, toLeft, toRight } = crossing;
  const equal = ({ localAttributes, remoteAttributes }: PgCodecRelation, other: (column: string) => SQL) =>
    localAttributes.map((local, i) => sql`${column(alias, local)} = ${other(remoteAttributes[i] as string)}`);
  const conditions = sql.join([...equal(toRight, (name) => column(right, name)), ...equal(toLeft, left)], " and ");
  return isOrderedByJunction(crossing)
    ? conditions
    : sql`exists (select from ${junction.from as never} as ${alias} where ${conditions})`;
}

const column = (row: SQL, name: string) => sql`${row}.${sql.identifier(name)}`;

/** The rows, for compiled queries. */
function crossedRows(crossing: Crossing, kind: "list" | "connection"): FieldSource {
  const { junction, alias, toRight } = crossing;
  const right = toRight.remoteResource;
  const from = isOrderedByJunction(crossing)
    ? sql`${junction.from as never} as ${alias} cross join ${right.from as SQL}`
    : (right.from as SQL);
  const where = (found: SQL, row: SQL) => linked(crossing, found, (name) => column(row, name));
  return { kind, from: () => from, where: [where], name: right.name };
}

/** The rows, for the engine. */
function cross($row: PgSelectSingleStep, crossing: Crossing) {
  const { junction, alias, toRight } = crossing;
  const $right = toRight.remoteResource.find();
  const condition = linked(crossing, $right.alias, (name) => $right.placeholder($row.get(name) as never));
  if (isOrderedByJunction(crossing)) {
    $right.join({ type: "inner", from: junction.from as SQL, alias, conditions: [condition] });
  } else {
    $right.where(condition);
  }
  return $right;
}
