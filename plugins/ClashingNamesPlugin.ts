import { isPlain, sqlName } from "@content-service/support/sqlName.ts";
import { type GraphQLSchema, isObjectType } from "graphql";
import type { PgCodec, PgCodecAttribute, PgCodecRelation, PgResource } from "postgraphile/@dataplan/pg";
import { crossingFields, crossingsFrom } from "./ManyToManyPlugin.ts";
import { constraintTarget, functionTarget } from "./support/catalogue.ts";
import { type Build, resourcesOf } from "./support/fields.ts";
import { pagingArguments } from "./support/filteredFunction.ts";
import { compare, isGraphQLName, type UnmappedObject } from "./support/unmapped.ts";
import { version } from "./support/version.ts";

/** The names that clashes have given, of codecs, resources, attributes and relations. */
const allotted = new WeakMap<object, string>();

const found = new WeakMap<object, { clashes: UnmappedObject[]; names: Record<string, string> }>();

/**
 * Names that a schema has served, such as `Query.posts` and `type Post`, each with the object that it was made from: `table shop.posts`.
 * Made by servedNamesOf(), and kept as JSON.
 */
export type ServedNames = Readonly<Record<string, string>>;

declare global {
  namespace GraphileBuild {
    interface SchemaOptions {
      /** Names that clients know. Their objects keep them, whatever else would have them as well. */
      servedNames?: ServedNames | undefined;
    }
  }
}

/** Types that the engine and the plugins make. A table has none of these names, whether or not the schema has the type now. */
const ownTypes =
  `Query Mutation Subscription Node PageInfo Cursor Int Float String Boolean ID BigInt BigFloat XML TSVector TSQuery JSON
  JSONPath Datetime Timestamp TimestampFormat Date Time UUID Interval BitString Box Circle Line LineSegment Path Point Polygon KeyValueHash
  InternetAddress Oid RegProc RegProcedure RegOper RegOperator RegClass RegType RegRole RegNamespace RegConfig RegDictionary CidrAddress
  MacAddress MacAddress8 Base64EncodedBinary LTree DeletedRecord ErrorCode ErrorReason ValidationErrorCode`.split(
    /\s+/,
  );

/** More objects than this do not have one name. */
const mostTurns = 1_000;

/** A thing that needs a name: of a type, or in the scopes of fields. */
interface Named {
  /** The keys of the name in `allotted`. */
  entities: object[];
  /** Which of two new objects of one name has it: the lower rank. */
  rank: (number | string)[];
  /** Others, in the form of SQL, in turn. */
  others: string[];
  /** Its names in the API, as it is named now: `Query.posts`, or a type as `type Post`. */
  shown(): string[];
  /** In SQL: `the table shop.products`. */
  title: string;
  /** In SQL, what a comment is for: `table shop.products`. */
  target: string;
  /** What tells it from others of its name, where `target` does not. */
  identity?: string;
  tag: string;
  isServed: boolean;
}

/**
 * Gives objects that would have one name in the API two names. An object that was served keeps its name (ServedNames); of new ones, the
 * rule that the list of smart tags has decides, and never the order in which they were made.
 */
export const ClashingNamesPlugin: GraphileConfig.Plugin = {
  name: "ClashingNamesPlugin",
  version,
  description: "Names objects that clash by a fixed rule, and lists them.",
  after: ["CatalogueNamesPlugin", "NamesPlugin", "ManyToManyPlugin"],
  inflection: {
    replace: {
      _codecName: (previous, _options, codec) => allotted.get(codec) ?? previous?.(codec) ?? codec.name,
      _resourceName: (previous, _options, resource) => allotted.get(resource) ?? previous?.(resource) ?? resource.name,
      scalarCodecTypeName(previous, _options, codec) {
        const name = allotted.get(codec);
        return name === undefined ? (previous?.(codec) ?? codec.name) : this.upperCamelCase(name);
      },
      attribute(previous, _options, details) {
        const name = allotted.get(attributeOf(details) ?? {});
        return name === undefined ? (previous?.(details) ?? details.attributeName) : this.camelCase(name);
      },
      _functionName: (previous, _options, details) =>
        allotted.get(details.resource) ?? previous?.(details) ?? details.resource.name,
      computedAttributeField(previous, _options, details) {
        const name = allotted.get(details.resource);
        return name === undefined ? (previous?.(details) ?? details.resource.name) : this.camelCase(name);
      },
      argument(previous, _options, details) {
        const name = previous?.(details) ?? "";
        return isTakenArgument(name, details.param, details.resource as never, this) ? `${name}Argument` : name;
      },
      _singleRelationRaw(previous, _options, details) {
        return relationField(details, previous?.(details), this);
      },
      _singleRelationBackwardsRaw(previous, _options, details) {
        return relationField(details, previous?.(details), this);
      },
      _manyRelationRaw(previous, _options, details) {
        return relationField(details, previous?.(details), this);
      },
      manyToManyRelation(previous, _options, crossing) {
        return this.coerceToGraphQLName(this.camelCase(allotted.get(crossing) ?? previous?.(crossing) ?? ""));
      },
    },
  },
  gather: {
    hooks: {
      pgRelations_relation(_info, { pgConstraint, relation }) {
        Object.assign(relation, { extensions: { ...relation.extensions, constraint: constraintTarget(pgConstraint) } });
      },
      pgProcedures_PgResourceOptions(_info, { pgProc, resourceOptions }) {
        Object.assign(resourceOptions.extensions ?? {}, { signature: functionTarget(pgProc) });
      },
    },
  },
};

/** Names what clashes. It is the first plugin of the preset, because the hooks after it use the names. */
export const NameClashesPlugin: GraphileConfig.Plugin = {
  name: "NameClashesPlugin",
  version,
  description: "Finds the names that clash.",
  schema: {
    hooks: {
      init(init, build) {
        found.set(build.input, allot(build as Build));
        for (const codec of build.allPgCodecs as Set<PgCodec>) {
          const isText = (codec.extensions as { isText?: boolean } | undefined)?.isText;
          if (isText) build.setGraphQLTypeForPgCodec(codec as never, ["input", "output"], "String");
        }
        return init;
      },
      finalize(schema, build) {
        Object.assign(schema.extensions, { servedNames: namesIn(schema, found.get(build.input)?.names ?? {}) });
        return schema;
      },
    },
  },
};

/** The objects that have another name in the API, because they clash. */
export function clashesOf(build: Build): UnmappedObject[] {
  return found.get(build.input)?.clashes ?? [];
}

/** The names of a schema, for the next one that is made: the option `servedNames`. */
export function servedNamesOf({ extensions }: Pick<GraphQLSchema, "extensions">): ServedNames {
  return (extensions["servedNames"] as ServedNames | undefined) ?? {};
}

/** Those of the names that the finished schema has. */
function namesIn(schema: GraphQLSchema, names: Record<string, string>): ServedNames {
  const isServed = (name: string) => {
    const [, kind = "", member = ""] = /^(\w+)[ .](\w+)$/.exec(name) ?? [];
    if (kind === "type") return schema.getType(member) !== undefined;
    const type = schema.getType(kind);
    return isObjectType(type) && type.getFields()[member] !== undefined;
  };
  return Object.fromEntries(
    Object.entries(names)
      .filter(([name]) => isServed(name))
      .toSorted(([a], [b]) => compare([a], [b])),
  );
}

function isTakenArgument(
  name: string,
  param: { name: string | null },
  { parameters, isUnique, isMutation }: PgResource,
  inflection: GraphileBuild.Inflection,
): boolean {
  if (!isUnique && !isMutation && pagingArguments.includes(name)) return true;
  const before = (parameters ?? []).slice(0, parameters?.indexOf(param as never));
  return before.some((each) => each.name && plainArgument(each.name, inflection) === name);
}

/** The name of an argument that does not clash. */
function plainArgument(name: string, inflection: GraphileBuild.Inflection): string {
  return inflection.coerceToGraphQLName(inflection.camelCase(name));
}

/** The renamed arguments of a function. */
function renamedArguments({ inflection }: Build, resource: PgResource): UnmappedObject[] {
  const target = sqlName(...pgNameOf(resource));
  return (resource.parameters ?? []).flatMap((param, index) => {
    if (!param.name) return [];
    const served = inflection.argument({ param, index, resource: resource as never });
    const own = plainArgument(param.name, inflection);
    if (served === own) return [];
    return {
      name: target,
      message: `The argument ${sqlName(param.name)} of ${target} is ${served} in the API.`,
      reason: `${own} is another argument of the field.`,
      advice: "Give it another name in SQL.",
    };
  });
}

/** The engine makes the names of columns fit GraphQL, and not those of relations. */
function relationField(details: RelationDetails, own = "", inflection: GraphileBuild.Inflection): string {
  const name = allotted.get(relationAt(details) ?? {}) ?? own;
  return isGraphQLName(inflection.camelCase(name)) ? name : inflection.coerceToGraphQLName(name);
}

type AttributeDetails = { attributeName: string; codec: { attributes?: Record<string, unknown> } };

function attributeOf({ attributeName, codec }: AttributeDetails): object | undefined {
  return codec.attributes?.[attributeName] as object | undefined;
}

type RelationDetails = Parameters<GraphileBuild.Inflection["_singleRelationRaw"]>[0];

function relationAt({ registry, codec, relationName }: RelationDetails): PgCodecRelation | undefined {
  return (registry.pgRelations as Record<string, Record<string, PgCodecRelation>>)[codec.name]?.[relationName];
}

function allot(build: Build): { clashes: UnmappedObject[]; names: Record<string, string> } {
  const owners = new Map<string, string>(ownTypes.map((name) => [`type ${name}`, "a type that every schema may have"]));
  for (const field of ["node", "nodeId", "query"]) owners.set(`Query.${field}`, "a field that every schema has");
  const clashes: UnmappedObject[] = [];
  const names: Record<string, string> = {};
  const servedNames = new Map(Object.entries(build.options.servedNames ?? {}));
  const served = new Set(servedNames.values());
  const settle = (...stages: Named[][]) => {
    const things = stages.flatMap((stage, place) =>
      stage.map((thing) => {
        const wasServed = served.has(identityOf(thing)) && keepName(thing, servedNames);
        return { ...thing, rank: [wasServed ? 0 : 1, place, ...thing.rank] };
      }),
    );
    things.sort((a, b) => compare(a.rank, b.rank));
    for (const thing of things) {
      const named = nameOne(thing, owners);
      clashes.push(...named.clashes);
      if (thing.isServed) for (const name of named.names) names[name] = identityOf(thing);
    }
  };
  settle(behindDerived(types(build)), functions(build));
  clashes.push(...resourcesOf(build).flatMap((resource) => renamedArguments(build, resource)));
  for (const codec of rowCodecs(build)) {
    if (build.behavior.pgCodecMatches(codec as never, "type:node"))
      owners.set(`${build.inflection.tableType(codec as never)}.nodeId`, "the globally unique id");
    settle(
      [...attributes(build, codec), ...relations(build, codec, false)],
      relations(build, codec, true),
      crossings(build, codec),
      computed(build, codec),
    );
  }
  return { clashes, names };
}

function identityOf({ identity, target }: Named): string {
  return identity ?? target;
}

/** Gives an object the name under which it was served: its own, or one that a clash had given it. @returns whether there is one */
function keepName(thing: Named, servedNames: ReadonlyMap<string, string>): boolean {
  const isKept = () => thing.shown().some((name) => servedNames.get(name) === identityOf(thing));
  if (isKept()) return true;
  for (const name of thing.others) {
    for (const entity of thing.entities) allotted.set(entity, name);
    if (isKept()) return true;
  }
  for (const entity of thing.entities) allotted.delete(entity);
  return false;
}

/** A type that has the name of another one's connection, edge or input is named after it: the other one has all of its names. */
function behindDerived(things: Named[]): Named[] {
  const derived = new Map<string, Named>();
  for (const thing of things) for (const name of thing.shown().slice(1)) derived.set(name, thing);
  for (const thing of things) {
    const [own = ""] = thing.shown();
    const other = derived.get(own);
    const isInput = /InputRecord$/.test(own) && /table|view/.test(thing.target);
    thing.rank.splice(1, 0, isInput || (other !== undefined && other !== thing) ? 1 : 0);
  }
  return things;
}

/** @returns its names, and what to say where another object has its own */
function nameOne(
  { entities, others, shown, title, target, tag, isServed }: Named,
  owners: Map<string, string>,
): { names: string[]; clashes: UnmappedObject[] } {
  const before = shown();
  const isFree = (name: string) => isGraphQLName(name.replace(/^.*[. ]/, "")) && !owners.has(name);
  const isRelation = tag !== "name";
  if (!isRelation && !before.every((name) => isGraphQLName(name.replace(/^.*[. ]/, ""))))
    return { names: before, clashes: [] };
  const taken = before.find((name) => !isFree(name));
  let names = before;
  for (let turn = 0; turn < mostTurns && !names.every(isFree); turn++) {
    const name = others[turn] ?? `${others.at(-1) ?? ""}_${turn - others.length + 2}`;
    for (const entity of entities) allotted.set(entity, name);
    names = shown();
  }
  for (const name of names) owners.set(name, title);
  if (taken === undefined || !isServed) return { names, clashes: [] };
  const clash = {
    name: target.replace(/^[a-z ]+? (?=\S+$)/, ""),
    message: `${title.replace(/^t/, "T")} is ${names[0]?.replace(/^type /, "")} in the API.`,
    reason: `${taken.replace(/^type /, "")} is the name of ${owners.get(taken) ?? "nothing that GraphQL can have"}.`,
    advice: `To choose the name: comment on ${target} is '@${tag} …'`,
  };
  return { names, clashes: [clash] };
}

function rowCodecs(build: Build): PgCodec[] {
  const codecs = [...(build.allPgCodecs as Set<PgCodec>)];
  return codecs.filter(({ attributes, polymorphism }) => attributes && !polymorphism);
}

function kindOf({ extensions }: { extensions?: object | undefined }): string {
  const { isView, isMaterializedView, isForeignTable, isTableLike } = (extensions ?? {}) as Record<string, unknown>;
  if (isMaterializedView) return "materialized view";
  if (isForeignTable) return "foreign table";
  if (isView) return "view";
  return isTableLike ? "table" : "type";
}

function pgNameOf({
  extensions,
  name,
}: {
  extensions?: object | undefined;
  name: string;
}): [schema: string, name: string] {
  const { schemaName = "", name: ownName = name } =
    (extensions as { pg?: Record<string, string> } | undefined)?.pg ?? {};
  return [schemaName, ownName];
}

function rankOf(isGiven: boolean, isServed: boolean, place: number, [schema, name]: [string, string]) {
  return [isGiven ? 0 : 1, isServed ? 0 : 1, place, isPlain(name) ? 0 : 1, schema, name];
}

const kinds = ["table", "foreign table", "view", "materialized view", "type", "domain"];

/** Tables, views and types: the type, and the fields of Query. */
function types(build: Build): Named[] {
  const { inflection } = build;
  const resources = resourcesOf(build);
  return [...(build.allPgCodecs as Set<PgCodec>)].flatMap((codec) => {
    const isScalar = Boolean(codec.domainOfCodec || codec.rangeOfCodec || (codec as { values?: unknown }).values);
    if ((!codec.attributes && !isScalar) || codec.polymorphism || codec.arrayOfCodec || !codec.extensions?.pg)
      return [];
    const resource = resources.find((each) => !each.parameters && each.codec === codec);
    const isServed = isScalar || !resource || isReadable(build, resource) === true;
    const kind = isScalar
      ? codec.domainOfCodec
        ? "domain"
        : "type"
      : kindOf({ extensions: { ...codec.extensions, ...resource?.extensions } });
    const pgName = pgNameOf(codec);
    const [schema, name] = pgName;
    const isGiven = typeof codec.extensions?.tags?.["name"] === "string";
    const shown = () => {
      const type = isScalar ? inflection.scalarCodecTypeName(codec as never) : inflection.tableType(codec as never);
      const all = isScalar || !resource ? [type, inflection.inputType(type)] : rowTypes(build, codec, type);
      return [...all.map((each) => `type ${each}`), ...(resource ? rootFields(build, resource) : [])];
    };
    const own = isGiven ? String(codec.extensions?.tags?.["name"]) : name;
    const word = kind.replace(/^.* /, "");
    return {
      entities: resource ? [codec, resource] : [codec],
      rank: [
        ...rankOf(isGiven, isServed, kinds.indexOf(kind), pgName).slice(0, 4),
        // Tables are named in the plural.
        inflection.pluralize(name) === name ? 0 : 1,
        schema,
        name,
      ],
      others: [`${own}_${word}`, `${schema}_${own}_${word}`],
      shown,
      title: `the ${kind} ${sqlName(schema, name)}`,
      target: `${kind} ${sqlName(schema, name)}`,
      tag: "name",
      isServed,
    };
  });
}

function rowTypes({ inflection }: Build, codec: PgCodec, type: string): string[] {
  return [
    type,
    inflection.tableConnectionType(codec as never),
    inflection.tableEdgeType(codec as never),
    inflection.inputType(type),
  ];
}

function isReadable({ behavior }: Build, resource: PgResource): boolean {
  return behavior.pgResourceMatches(resource as never, "resource:select") === true;
}

function rootFields({ behavior, inflection }: Build, resource: PgResource): string[] {
  const fields: string[] = [];
  for (const unique of resource.uniques) {
    if (behavior.pgResourceUniqueMatches([resource, unique] as never, "query:resource:single")) {
      fields.push(inflection.rowByUnique({ unique, resource } as never));
    }
  }
  if (behavior.pgResourceMatches(resource as never, "query:resource:list"))
    fields.push(inflection.allRowsList(resource as never));
  if (behavior.pgResourceMatches(resource as never, "query:resource:connection"))
    fields.push(inflection.allRowsConnection(resource as never));
  return [...new Set(fields)].map((field) => `Query.${field}`);
}

/** Functions that are fields of Query or Mutation. */
function functions(build: Build): Named[] {
  const { behavior, inflection } = build;
  return resourcesOf(build).flatMap((resource) => {
    if (!resource.parameters) return [];
    const isQuery = behavior.pgResourceMatches(resource as never, "queryField");
    const isMutation = behavior.pgResourceMatches(resource as never, "flatMutationField" as never);
    if (!isQuery && !isMutation) return [];
    const details = { resource: resource as never };
    return functionNamed(resource, () => {
      if (!isQuery) return [`Mutation.${inflection.customMutationField(details)}`];
      if (resource.isUnique) return [`Query.${inflection.customQueryField(details)}`];
      return [
        `Query.${inflection.customQueryField(details)}`,
        `Query.${inflection.customQueryConnectionField(details)}`,
        ...setTypes(build, resource),
      ];
    });
  });
}

/** The types of a function that returns several values. */
function setTypes({ inflection }: Build, resource: PgResource): string[] {
  const details = { resource: resource as never };
  if (!resource.codec.attributes) {
    return [
      `type ${inflection.scalarFunctionConnectionType(details)}`,
      `type ${inflection.scalarFunctionEdgeType(details)}`,
    ];
  }
  if (!resource.codec.isAnonymous) return [];
  return [
    `type ${inflection.recordFunctionConnectionType(details)}`,
    `type ${inflection.recordFunctionEdgeType(details)}`,
  ];
}

function functionNamed(resource: PgResource, shown: () => string[]): Named {
  const pgName = pgNameOf(resource);
  const { signature } = (resource.extensions ?? {}) as { signature?: string };
  const given = resource.extensions?.tags?.["name"] ?? resource.extensions?.tags?.["fieldName"];
  const own = typeof given === "string" ? given : pgName[1];
  return {
    entities: [resource],
    rank: rankOf(given !== undefined, true, 0, pgName),
    others: [`${own}_function`, `${pgName[0]}_${own}_function`],
    shown,
    title: `the function ${sqlName(...pgName)}`,
    target: `function ${sqlName(...pgName)}`,
    ...(signature !== undefined && { identity: signature }),
    tag: "name",
    isServed: true,
  };
}

function attributes(build: Build, codec: PgCodec): Named[] {
  const pgName = pgNameOf(codec);
  return Object.entries(codec.attributes as Record<string, PgCodecAttribute>).flatMap(([attributeName, attribute]) => {
    if (!build.behavior.pgCodecAttributeMatches([codec, attributeName] as never, "attribute:select")) return [];
    const given = attribute.extensions?.tags?.["name"];
    const own = typeof given === "string" ? given : attributeName;
    const column = sqlName(...pgName, attributeName);
    return {
      entities: [attribute],
      rank: [given === undefined ? 1 : 0, placesOf(codec, [attributeName]), 0],
      others: [`${own}_column`],
      shown: () => [fieldOf(build, codec, build.inflection.attribute({ attributeName, codec } as never))],
      title: `the column ${column}`,
      target: `column ${column}`,
      tag: "name",
      isServed: true,
    };
  });
}

function fieldOf({ inflection }: Build, codec: PgCodec, field: string): string {
  return `${inflection.tableType(codec as never)}.${field}`;
}

function relations(build: Build, codec: PgCodec, isReferencee: boolean): Named[] {
  const { inflection, behavior } = build;
  const registry = build.input.pgRegistry;
  const all = (registry.pgRelations as Record<string, Record<string, PgCodecRelation>>)[codec.name] ?? {};
  return Object.entries(all).flatMap(([relationName, relation]) => {
    if (Boolean(relation.isReferencee) !== isReferencee) return [];
    const details = { registry, codec, relationName } as never;
    const matches = (kind: string) => behavior.pgCodecRelationMatches(relation as never, kind as never);
    const scope = relation.isUnique ? "singularRelation" : "manyRelation";
    const shown = () =>
      [
        ...(relation.isUnique === true && matches(`${scope}:resource:single`)
          ? [isReferencee ? inflection.singleRelationBackwards(details) : inflection.singleRelation(details)]
          : []),
        ...(matches(`${scope}:resource:list`) ? [inflection.manyRelationList(details)] : []),
        ...(matches(`${scope}:resource:connection`) ? [inflection.manyRelationConnection(details)] : []),
      ].map((field) => fieldOf(build, codec, field));
    if (shown().length === 0) return [];
    const tag = isReferencee ? "foreignFieldName" : "fieldName";
    const given = relation.extensions?.tags?.[tag];
    const remote = relation.remoteResource.codec;
    const type = inflection.tableType(remote as never);
    const columns = isReferencee ? relation.remoteAttributes : relation.localAttributes;
    const rows = relation.isUnique ? type : inflection.pluralize(type);
    const owner = sqlName(...pgNameOf(isReferencee ? remote : codec));
    const target = String((relation.extensions as { constraint?: string } | undefined)?.constraint ?? "constraint …");
    return {
      entities: [relation],
      // A column that is added later is the last one. Neither it nor its key takes a name from others.
      rank: [
        given === undefined ? 1 : 0,
        ...(isReferencee ? pgNameOf(remote) : []),
        placesOf(isReferencee ? remote : codec, columns),
        1,
        target,
      ],
      others: [`${rows}_by_${columns.join("_and_")}`, `${rows}_by_${target.replace(/^constraint | on .*$/g, "")}`],
      shown,
      title: `the foreign ${target.replace(/^constraint/, "key")}`,
      target,
      // The engine numbers the keys of smart tags, all of them together.
      ...(/^constraint "?FAKE_/.test(target) && { identity: `foreign key (${columns.join(", ")}) of ${owner}` }),
      tag,
      isServed: true,
    };
  });
}

/** The lists and connections through join tables. */
function crossings(build: Build, codec: PgCodec): Named[] {
  const { inflection } = build;
  return crossingsFrom(build, codec).flatMap((crossing) => {
    const { junction, toLeft, toRight } = crossing;
    const shown = () => Object.values(crossingFields(build, crossing)).map((field) => fieldOf(build, codec, field));
    if (shown().length === 0) return [];
    const rows = inflection.pluralize(inflection.tableType(toRight.remoteResource.codec as never));
    const columns = [...toLeft.localAttributes, ...toRight.localAttributes].join("_and_");
    const target = String((toRight.extensions as { constraint?: string } | undefined)?.constraint ?? "constraint …");
    return {
      entities: [crossing],
      rank: [toRight.extensions?.tags?.["fieldName"] === undefined ? 1 : 0, ...pgNameOf(junction.codec), target],
      // As upstream's plugin for join tables names them.
      others: [`${rows}_by_${pgNameOf(junction.codec)[1]}_${columns}`],
      shown,
      title: `the way through the join table ${sqlName(...pgNameOf(junction.codec))}`,
      target,
      tag: "fieldName",
      isServed: true,
    };
  });
}

function placesOf({ attributes }: PgCodec, columns: readonly string[]): string {
  const names = Object.keys(attributes ?? {});
  return columns.map((column) => String(names.indexOf(column)).padStart(5, "0")).join();
}

function computed(build: Build, codec: PgCodec): Named[] {
  const { behavior, inflection } = build;
  return resourcesOf(build).flatMap((resource) => {
    if (resource.parameters?.[0]?.codec !== codec) return [];
    if (!behavior.pgResourceMatches(resource as never, "typeField")) return [];
    const details = { resource: resource as never };
    return functionNamed(resource, () => {
      const field = inflection.computedAttributeField(details);
      const all = resource.isUnique ? [field] : [field, inflection.computedAttributeConnectionField(details)];
      return [
        ...all.map((each) => fieldOf(build, codec, each)),
        ...(resource.isUnique ? [] : setTypes(build, resource)),
      ];
    });
  });
}
