import { sqlName } from "@content-service/support/sqlName.ts";
import type { GraphQLSchema } from "graphql";
import {
  isEnumCodec,
  type PgCodec,
  type PgCodecAttribute,
  type PgEnumCodec,
  type PgResource,
  TYPES,
} from "postgraphile/@dataplan/pg";
import { clashesOf } from "./ClashingNamesPlugin.ts";
import { type Build, resourcesOf } from "./support/fields.ts";
import { isGraphQLName as isName, type UnmappedObject } from "./support/unmapped.ts";
import { version } from "./support/version.ts";

/** Parts of the API that could not be made, by the build that has left them out. */
const failures = new WeakMap<object, UnmappedObject[]>();

/**
 * Keeps one odd thing in SQL from keeping all others out of the API. What GraphQL cannot have is left out: a function that returns void or
 * takes a row, a name that GraphQL has no form of, and whatever else cannot be made. A value of an enum is served under a name that GraphQL
 * can have, since rows have that value. The schema lists these things, and what ClashingNamesPlugin has named: `unmappedObjectsOf()`.
 *
 * A wrong smart tag fails the build: makeSchema() finds and ignores it.
 */
export const UnmappedObjectsPlugin: GraphileConfig.Plugin = {
  name: "UnmappedObjectsPlugin",
  version,
  description: "Leaves out what GraphQL cannot have, and lists it.",
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
            whyNot(resource as PgResource, build as Build)
              ? [behavior, "-*" as never]
              : isVolatileQuery(resource as PgResource)
                ? [behavior, "-queryField" as never]
                : [behavior],
        },
      },
      pgCodec: {
        override: (behavior, codec, { inflection }) =>
          codec.attributes && !isName(inflection.tableType(codec as never)) ? [behavior, "-*" as never] : [behavior],
      },
      pgCodecAttribute: {
        override: (behavior, [codec, attributeName], { inflection }) =>
          isName(inflection.attribute({ attributeName, codec } as never)) ? [behavior] : [behavior, "-*" as never],
      },
      pgCodecRelation: {
        override: (behavior, { remoteResource }, { inflection }) =>
          isName(inflection.tableType(remoteResource.codec as never)) ? [behavior] : [behavior, "-*" as never],
      },
    },
    hooks: {
      build(build) {
        const left: UnmappedObject[] = [];
        failures.set(build.input, left);
        const { extend } = build;
        build.extend = ((
          base: Record<string, unknown>,
          extra: Record<string, unknown>,
          hint: string,
          onConflict?: "throw" | "recoverable",
        ) => {
          const taken = Object.keys(extra).find((key) => key in base && base[key] !== extra[key]);
          if (!build.status.isInitPhaseComplete || taken === undefined)
            return extend.call(build, base as never, extra as never, hint, onConflict);
          left.push({
            name: taken,
            message: `A field ${taken} is left out: ${hint}.`,
            reason: "Another field of the type has this name.",
            advice: "Rename one of the two: comment on … is '@name …'",
          });
          return base;
        }) as never;
        build.handleRecoverableError = (error) => {
          if (error.message.startsWith("@")) throw error;
          const [reason = ""] = error.message.split("\n");
          left.push({
            name: reason,
            message: "A part of the API cannot be made.",
            reason,
            advice: "Leave it out: comment on … is '@behavior -*'",
          });
        };
        return build;
      },
      GraphQLSchema: (config, build) => ({
        ...config,
        extensions: { ...config.extensions, unmappedObjects: unmappedObjects(build) },
      }),
      finalize(schema, build) {
        const all = schema.extensions["unmappedObjects"] as UnmappedObject[];
        all.push(...(failures.get(build.input) ?? []));
        return schema;
      },
    },
  },
};

/** The objects that the build of this schema has left out, and those that it has renamed. */
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
  const [first, ...others] = parameters;
  const isComputed = !resource.isMutation && first?.codec.attributes !== undefined && isRow(first.codec);
  if ((isComputed ? others : parameters).some((parameter) => isRow(parameter.codec))) {
    return {
      reason: "It takes a row as an argument.",
      advice: "Take the key of the row instead. A stable function of one row is a computed field.",
    };
  }
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

function isVolatileQuery({ isMutation, parameters, extensions }: PgResource): boolean {
  return Boolean(isMutation && parameters) && /\+queryField\b/.test(String(extensions?.tags?.behavior ?? ""));
}

function isRow({ arrayOfCodec, domainOfCodec, extensions }: PgCodec): boolean {
  const inner = arrayOfCodec ?? domainOfCodec;
  return inner ? isRow(inner) : (extensions as { isTableLike?: boolean } | undefined)?.isTableLike === true;
}

function unmappedObjects(build: Build): UnmappedObject[] {
  const functions = resourcesOf(build).flatMap((resource) => {
    const why = whyNot(resource, build);
    const name = nameOf(resource);
    if (isVolatileQuery(resource)) {
      return {
        name,
        message: `${name} is a mutation in the API, and no query.`,
        reason: "It is volatile, and a query may not write.",
        advice: `alter function ${name} stable`,
      };
    }
    return why ? [{ name, message: `${name} is not in the API.`, ...why }] : [];
  });
  const values = (Object.values(build.pgCodecs) as PgCodec[])
    .filter(isEnumCodec)
    .filter(({ domainOfCodec }) => !domainOfCodec)
    .flatMap((codec) => renamed(codec, build));
  const clashes = clashesOf(build);
  const others = fitted(build).filter(({ name }) => !clashes.some((clash) => clash.name === name));
  const all = [...(build.input.unreadObjects ?? []), ...clashes, ...functions, ...others, ...values];
  return [...new Map(all.map((one) => [one.message, one])).values()];
}

/** Tables and columns whose names GraphQL can have only in another form, or not at all, and columns that the engine hides. */
function fitted(build: Build): UnmappedObject[] {
  const { behavior, inflection } = build;
  return resourcesOf(build).flatMap((resource) => {
    const { codec, parameters } = resource;
    const attributes = codec.attributes as Record<string, PgCodecAttribute> | undefined;
    if (parameters || !attributes || !isGranted(resource)) return [];
    const table = nameOf(codec);
    const type = inflection.tableType(codec as never);
    const own = codec.extensions?.pg?.name ?? codec.name;
    const tableAdvice = `comment on table ${table} is '@name …'`;
    const tables = fit(table, own, type, tableAdvice, codec.extensions?.tags?.name);
    if (!isName(type)) return tables;
    const columns = Object.entries(attributes).flatMap(([attributeName, { codec: inner, extensions }]) => {
      const { tags } = extensions ?? {};
      if (tags?.behavior !== undefined) return [];
      const name = `${table}.${sqlName(attributeName)}`;
      const advice = `comment on column ${name} is '@name …'`;
      const field = inflection.attribute({ attributeName, codec } as never);
      const found = fit(name, attributeName, field, advice, tags?.name);
      const isHidden = !behavior.pgCodecAttributeMatches([codec, attributeName] as never, "attribute:select");
      if (found.length > 0 || !isHidden || !isSearchTerm(inner)) return found;
      return [
        {
          name,
          message: `${name} is not in the API.`,
          reason: `Values of ${inner.arrayOfCodec?.name ?? inner.name} are for the search, not for clients.`,
          advice: `comment on column ${name} is '@behavior +select'`,
        },
      ];
    });
    return [...tables, ...columns];
  });
}

function isGranted({ extensions }: PgResource): boolean {
  return ![extensions?.tags?.behavior].flat().includes("-*");
}

function isSearchTerm({ arrayOfCodec, name }: PgCodec): boolean {
  return arrayOfCodec ? isSearchTerm(arrayOfCodec) : ["tsvector", "tsquery"].includes(name);
}

function fit(name: string, own: string, served: string, advice: string, tag: unknown): UnmappedObject[] {
  if (tag !== undefined || /^(?!__)[A-Za-z_][\w$ -]*$/.test(own)) return [];
  const reason = "GraphQL can have no such name.";
  return isName(served)
    ? [{ name, message: `${name} is ${served} in the API.`, reason, advice }]
    : [{ name, message: `${name} is not in the API.`, reason, advice }];
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
  return ownName === undefined ? name : sqlName(schemaName ?? "", ownName);
}

/** The engine's own names for values keep letters and digits only where there are no others. */
function usable(name: string): string {
  const plain = name.replace(/\W/g, "_").replace(/^(?=\d)|^__+/, "_");
  return ["true", "false", "null"].includes(plain) ? `_${plain}` : plain;
}
