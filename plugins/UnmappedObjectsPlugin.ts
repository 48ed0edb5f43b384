import type { GraphQLSchema } from "graphql";
import { isEnumCodec, type PgCodec, type PgEnumCodec, type PgResource, TYPES } from "postgraphile/@dataplan/pg";
import { type Build, resourcesOf } from "./support/fields.ts";
import { version } from "./support/version.ts";

/** Something in the database that GraphQL has no place for. */
export interface UnmappedObject {
  /** In SQL, such as `shop.touch`. */
  name: string;
  /** One sentence each. */
  message: string;
  reason: string;
  advice: string;
}

/**
 * Keeps one odd thing in SQL from keeping all others out of the API. A function that returns void, or whose name or argument GraphQL
 * cannot have, is left out. A value of an enum is served under a name that GraphQL can have, since rows have that value. The schema names
 * these things: `unmappedObjectsOf()`.
 */
export const UnmappedObjectsPlugin: GraphileConfig.Plugin = {
  name: "UnmappedObjectsPlugin",
  version,
  description: "Leaves out functions that GraphQL cannot have, and lists them.",
  inflection: {
    replace: {
      enumValue(previous, _options, value, codec) {
        const nameOf = (label: string) => usable(previous?.(label, codec) ?? label);
        const name = nameOf(value);
        const alike = codec.values.filter((each) => nameOf(each.value) === name);
        const place = alike.findIndex((each) => each.value === value);
        return place > 0 ? `${name}_${place + 1}` : name;
      },
    },
  },
  schema: {
    entityBehavior: {
      pgResource: {
        override: {
          provides: ["unmappedObjects"],
          after: ["flatMutations"],
          callback: (behavior, resource, build) =>
            whyNot(resource as PgResource, build as Build) ? [behavior, "-*" as never] : [behavior],
        },
      },
    },
    hooks: {
      GraphQLSchema: (config, build) => ({
        ...config,
        extensions: { ...config.extensions, unmappedObjects: unmappedObjects(build) },
      }),
    },
  },
};

/** The functions that the build of this schema has left out, and the values of enums that it has renamed. */
export function unmappedObjectsOf({ extensions }: Pick<GraphQLSchema, "extensions">): readonly UnmappedObject[] {
  return (extensions["unmappedObjects"] as UnmappedObject[] | undefined) ?? [];
}

function whyNot(resource: PgResource, { inflection }: Build): Pick<UnmappedObject, "reason" | "advice"> | undefined {
  const { parameters, codec } = resource;
  if (!parameters) return undefined;
  if ((codec.arrayOfCodec ?? codec) === TYPES.void) {
    return {
      reason: "It returns void.",
      advice: "Return a value, such as a boolean. Or move it to a schema that is not served.",
    };
  }
  const details = { resource: resource as never };
  if (!isName(inflection.customQueryField(details))) {
    return {
      reason: "GraphQL can have no such name.",
      advice: "Give it another one: comment on function … is '@name …'",
    };
  }
  const isWrong = parameters.some(
    (param, index) => !isName(inflection.argument({ ...details, param, index } as never)),
  );
  return isWrong
    ? { reason: "GraphQL can have no argument of such a name.", advice: "Give the argument another name." }
    : undefined;
}

function unmappedObjects(build: Build): UnmappedObject[] {
  const functions = resourcesOf(build).flatMap((resource) => {
    const why = whyNot(resource, build);
    const name = nameOf(resource);
    return why ? [{ name, message: `${name} is not in the API.`, ...why }] : [];
  });
  const values = (Object.values(build.pgCodecs) as PgCodec[])
    .filter(isEnumCodec)
    .flatMap((codec) => renamed(codec, build));
  return [...functions, ...values];
}

function renamed(codec: PgEnumCodec, { inflection }: Build): UnmappedObject[] {
  return codec.values.flatMap(({ value }) => {
    const served = inflection.enumValue(value, codec as never);
    if (served === value) return [];
    const name = nameOf(codec);
    return {
      name,
      message: `The value ${JSON.stringify(value)} of ${name} is ${served} in the API.`,
      reason: "GraphQL can have no value of that name.",
      advice: `Give it another one: alter type ${name} rename value …`,
    };
  });
}

function nameOf({ extensions, name }: PgCodec | PgResource): string {
  const { schemaName, name: ownName } = extensions?.pg ?? {};
  return ownName === undefined ? name : [schemaName ?? "", ownName].map(quoted).join(".");
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The engine's own names for values keep letters and digits only where there are no others. */
function usable(name: string): string {
  const plain = name.replace(/\W/g, "_").replace(/^(?=\d)|^__+/, "_");
  return ["true", "false", "null"].includes(plain) ? `_${plain}` : plain;
}

function isName(name: string): boolean {
  return /^(?!__)[_a-zA-Z]\w*$/.test(name);
}
