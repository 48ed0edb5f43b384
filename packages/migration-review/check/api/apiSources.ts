import pg from "pg";
import type { PgCodec, PgResource } from "postgraphile/@dataplan/pg";

type Build = GraphileBuild.Build;
type Scope = GraphileBuild.ContextObjectFieldsField["scope"];

/** For each field of the API, such as `Post.title`, the things in the database that it was made from. */
export type ApiSources = Map<string, Set<string>>;

/**
 * A plugin that notes where each field comes from: `the column app_public.posts.title`, `the foreign key posts (author_id)`,
 * `the function app_public.feed`, `the table app_public.posts`. Only db:check and db:watch use it. When the build fails
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
  const { pgCodec, pgFieldAttribute, pgFieldResource, pgRelationDetails } = scope;
  if (pgFieldAttribute && pgCodec?.attributes) {
    const column = Object.entries(pgCodec.attributes).find(([, attribute]) => attribute === pgFieldAttribute)?.[0];
    return `the column ${identifierOf(pgCodec)}.${quoted(column)}`;
  }
  if (pgRelationDetails) return foreignKeyOf(pgRelationDetails);
  const resource = pgFieldResource ?? functionOf(scope, build);
  if (!resource) return undefined;
  return resource.parameters ? `the function ${identifierOf(resource)}` : `the table ${identifierOf(resource.codec)}`;
}

/** A connection has the name of the list beside it, if there is one. */
function nameOf({ fieldName, isPgFieldConnection, pgCrossing }: Scope): string {
  const isAlone = String(pgCrossing?.toLeft.extensions?.tags?.["backwardBehavior"]).includes("-list");
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
  return schemaName ? `${quoted(schemaName)}.${quoted(ownName)}` : name;
}

function quoted(name = ""): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : pg.escapeIdentifier(name);
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
