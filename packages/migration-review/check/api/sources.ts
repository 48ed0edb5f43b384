import { sqlName } from "@content-service/support/sqlName.ts";
import { type GraphQLSchema, isListType, isObjectType } from "graphql";
import type {} from "postgraphile";
import type { PgCodec, PgResource } from "postgraphile/@dataplan/pg";
import { type Finding, findingOf } from "../finding.ts";
import { membersOf, typeAt } from "./compareSchemas.ts";

type Build = GraphileBuild.Build;
type Scope = GraphileBuild.ContextObjectFieldsField["scope"] & { pgCrossing?: Crossing };

/** A field that a plugin makes of two foreign keys of a join table. */
interface Crossing {
  junction: PgResource;
  toLeft: { extensions?: { tags?: object } };
  toRight: { localAttributes: readonly string[] };
}

/** For each field of the API, such as `Post.title`, the things in the database that it was made from. */
export type ApiSources = Map<string, Set<string>>;

/**
 * A plugin that notes where each field comes from: `the column shop.items.title`, `the foreign key items (owner_id)`,
 * `the function shop.search`, `the table shop.items`. Only `check` and `watch` use it. When the build fails
 * because two things have one name, the notes name both.
 */
export function noteSources(sources: ApiSources): GraphileConfig.Plugin {
  return {
    name: "NoteSourcesPlugin",
    version: "1.0.0",
    schema: {
      hooks: {
        GraphQLObjectType_fields_field(field, build, { scope, Self }) {
          const source = sourceOf(scope, build);
          // A list and its connection have one source.
          const name = `${Self.name}.${nameOf(scope)}`;
          if (source) sources.set(name, (sources.get(name) ?? new Set()).add(source));
          return field;
        },
      },
    },
  };
}

function sourceOf(scope: Scope, build: Build): string | undefined {
  const { pgCodec, pgCrossing, pgFieldAttribute, pgFieldResource, pgRelationDetails } = scope;
  if (pgFieldAttribute && pgCodec?.attributes) {
    const column = Object.entries(pgCodec.attributes).find(([, attribute]) => attribute === pgFieldAttribute)?.[0];
    return `the column ${identifierOf(pgCodec)}.${sqlName(column ?? "")}`;
  }
  if (pgRelationDetails) return foreignKeyOf(pgRelationDetails);
  if (pgCrossing)
    return `the foreign key ${pgCrossing.junction.name} (${pgCrossing.toRight.localAttributes.join(", ")})`;
  const resource = pgFieldResource ?? functionOf(scope, build);
  if (!resource) return undefined;
  return resource.parameters ? `the function ${identifierOf(resource)}` : `the table ${identifierOf(resource.codec)}`;
}

/** A connection has the name of the list beside it, if there is one. */
function nameOf({
  fieldName,
  isPgFieldConnection,
  pgCrossing,
}: Pick<Scope, "fieldName" | "isPgFieldConnection" | "pgCrossing">): string {
  const isAlone = String(
    (pgCrossing?.toLeft.extensions?.tags as Record<string, unknown> | undefined)?.["backwardBehavior"],
  ).includes("-list");
  return isPgFieldConnection && !isAlone ? fieldName.replace(/Connection$/, "") : fieldName;
}

/** The engine does not note the function of a field that returns a single value. */
function functionOf({ fieldName, fieldBehaviorScope, pgCodec }: Scope, build: Build): PgResource | undefined {
  const functions = (Object.values(build.pgResources) as PgResource[]).filter(({ parameters }) => parameters);
  if (fieldBehaviorScope === "queryField:single") {
    return functions.find(
      (resource) => build.inflection.customQueryField({ resource: resource as never }) === fieldName,
    );
  }
  if (fieldBehaviorScope !== "typeField:single") return undefined;
  return functions.find(
    (resource) =>
      resource.parameters?.[0]?.codec === pgCodec &&
      build.inflection.computedAttributeField({ resource: resource as never }) === fieldName,
  );
}

function identifierOf({ extensions, name }: PgCodec | PgResource): string {
  const { schemaName, name: ownName } = extensions?.pg ?? {};
  return schemaName && ownName ? sqlName(schemaName, ownName) : name;
}

/** For example `the foreign key posts (author_id)`. */
function foreignKeyOf({ registry, codec, relationName }: NonNullable<Scope["pgRelationDetails"]>): string | undefined {
  const relation = registry.pgRelations[codec.name]?.[relationName];
  if (!relation) return undefined;
  return relation.isReferencee
    ? `the foreign key ${relation.remoteResource.codec.name} (${relation.remoteAttributes.join(", ")})`
    : `the foreign key ${codec.name} (${relation.localAttributes.join(", ")})`;
}

/** The SQL that gives a thing another name in the API. */
export function renaming(thing: string, name?: string): string {
  const [, kind = "", identifier = ""] = /^the (column|function|table|foreign key) (.+)$/.exec(thing) ?? [];
  if (kind !== "foreign key") return `comment on ${kind} ${identifier} is '@name ${name ?? "…"}'`;
  const tags = name === undefined ? "E'@fieldName …\\n@foreignFieldName …'" : `'@fieldName ${name}'`;
  return `comment on constraint … on ${identifier.replace(/ .*/, "")} is ${tags}`;
}

/**
 * Finds fields that keep their name and get other values, because the name moved to another column, foreign key or function.
 * A thing that is gone or was renamed does not count: its field may stay as something else.
 */
export function compareSources(before: ApiSources, after: ApiSources): Finding[] {
  const present = new Set([...after.values()].flatMap((things) => [...things]));
  return [...after].flatMap(([object, things]): Finding[] => {
    const old = [...(before.get(object) ?? [])].find((thing) => !things.has(thing) && present.has(thing));
    const [now] = things;
    if (old === undefined || now === undefined) return [];
    const advice = `Keep the name where it is, and give the other one its own: ${renaming(now)}`;
    return [findingOf("field-moved", object, `${object} is ${old}, and this migration makes it ${now}.`, { advice })];
  });
}

/** One finding for each new field that follows a foreign key, so that its author sees the field’s name in time. */
export function relationNames(before: GraphQLSchema, after: GraphQLSchema, sources: ApiSources): Finding[] {
  return [...sources].flatMap(([object, [thing = ""]]): Finding[] => {
    const isNew = typeAt(after, object) !== undefined && typeAt(before, object) === undefined;
    if (!isNew || !thing.startsWith("the foreign key") || object.endsWith("Connection")) return [];
    return [findingOf("relation-named", object, `${thing.replace("the", "The")} names the field ${object}.`)];
  });
}

/**
 * Adds to the finding of a field that disappears how its name can stay, when a new field of the same type and with the same
 * result may be the same thing under a new name. A column that is renamed renames its field, and a foreign key's column its
 * relation.
 */
export function keepNames(
  findings: Finding[],
  before: GraphQLSchema,
  after: GraphQLSchema,
  sources: ApiSources,
): Finding[] {
  return findings.map((finding) => {
    if (finding.rule !== "field-removed" || finding.severity !== "refused") return finding;
    const keeping = renamings(before, after, sources, finding.object).join("; or ");
    if (keeping === "") return finding;
    return { ...finding, advice: `If it has a new name only, keep the old one: ${keeping}. ${finding.advice}` };
  });
}

function renamings(before: GraphQLSchema, after: GraphQLSchema, sources: ApiSources, gone: string): string[] {
  const [typeName = "", fieldName = ""] = gone.split(".");
  const type = after.getType(typeName);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields())
    .filter(({ name, type: now }) => !membersOf(before, typeName)[name] && String(now) === typeAt(before, gone))
    .flatMap((field) => {
      const [thing] = sources.get(`${typeName}.${field.name}`) ?? [];
      if (thing === undefined) return [];
      const statement = renaming(thing, fieldName);
      return [isListType(field.type) ? statement.replace("@fieldName", "@foreignFieldName") : statement];
    });
}
