import {
  type PgCodec,
  type PgCodecWithAttributes,
  type PgResource,
  type PgSelectArgumentDigest,
  TYPES,
} from "postgraphile/@dataplan/pg";
import { type Build, resourcesOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

type Fields = Record<string, unknown>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Sends an argument of a composite type as JSON, which names its fields. By default, the engine sends the fields by position:
 * after a migration that adds a field, every request would fail until the service has rebuilt its schema. So fields can be
 * added to an input type while requests run, with several instances, and a request that does not know the field sends null.
 *
 * A column of the type with the smart tag `@cleared`, a text[], gets the names of the fields that were given as null: otherwise a
 * function could not tell them from those that were left out.
 */
export const CompositeArgumentsPlugin: GraphileConfig.Plugin = {
  name: "CompositeArgumentsPlugin",
  version,
  description: "Sends arguments of composite types by the names of their fields.",
  schema: {
    hooks: {
      build(partialBuild) {
        const build = partialBuild as Build;
        const resources = resourcesOf(build);
        const rows = new Set(resources.filter(({ parameters }) => !parameters).map(({ codec }) => codec));
        const sqlTypes = new Map<PgCodec, PgCodec["sqlType"]>();
        for (const resource of resources) sendAsJson(build, resource, rows, sqlTypes);
        return partialBuild;
      },
    },
  },
};

function sendAsJson(
  { sql }: Build,
  resource: Mutable<PgResource>,
  rows: ReadonlySet<unknown>,
  sqlTypes: Map<PgCodec, PgCodec["sqlType"]>,
): void {
  const { parameters, from } = resource;
  if (!parameters || typeof from !== "function") return;
  for (const { codec } of parameters) {
    if (!codec.attributes || rows.has(codec) || sqlTypes.has(codec)) continue;
    sqlTypes.set(codec, codec.sqlType);
    Object.assign(codec, {
      sqlType: sql`jsonb`,
      toPg: (fields: Fields) => JSON.stringify(toTexts(codec as PgCodecWithAttributes, fields)),
    });
  }
  if (!parameters.some(({ codec }) => sqlTypes.has(codec))) return;
  resource.from = ((...digests: PgSelectArgumentDigest[]) =>
    from(
      ...digests.map((digest, place) => {
        const parameter = digest.name ? parameters.find(({ name }) => name === digest.name) : parameters[place];
        const sqlType = parameter && sqlTypes.get(parameter.codec);
        // A computed field passes a row in place of JSON.
        return sqlType
          ? { ...digest, placeholder: sql`jsonb_populate_record(null::${sqlType}, to_jsonb(${digest.placeholder}))` }
          : digest;
      }),
    )) as typeof from;
}

/** Each field as text, which PostgreSQL reads as the field's type. JSON and nested inputs stay as they are. */
function toTexts({ attributes }: PgCodecWithAttributes, fields: Fields): Fields {
  const texts: Fields = {};
  for (const [name, { codec, extensions }] of Object.entries(attributes)) {
    if (extensions?.tags?.["cleared"]) texts[name] = Object.keys(attributes).filter((each) => fields[each] === null);
    const value = fields[name];
    if (value === null || value === undefined) continue;
    if (codec.attributes) texts[name] = toTexts(codec as PgCodecWithAttributes, value as Fields);
    else texts[name] = isJson(codec) ? JSON.parse(codec.toPg(value) as string) : codec.toPg(value);
  }
  return texts;
}

function isJson(codec: PgCodec): boolean {
  const base = codec.domainOfCodec ?? codec;
  return base === TYPES.json || base === TYPES.jsonb;
}
