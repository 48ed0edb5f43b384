import "postgraphile";
import type { PgCodecRelation, PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import {
  constant,
  defaultPlanResolver,
  type FieldArgs,
  type FieldInfo,
  lambda,
  operationPlan,
  type Step,
} from "postgraphile/grafast";
import type {
  GraphQLArgumentConfig,
  GraphQLInputFieldConfig,
  GraphQLInputFieldConfigMap,
  GraphQLInputType,
} from "postgraphile/graphql";
import { invalidInput, type ValidationFault } from "../src/errors/ApiError.ts";
import { crossingNames, crossingsFrom } from "./ManyToManyPlugin.ts";
import {
  type Build,
  type Field,
  type FieldContext,
  type Fields,
  type FieldsContext,
  linesOf,
} from "./support/fields.ts";
import { formerlyTag, withFormerNames } from "./support/formerName.ts";

declare module "graphql" {
  interface GraphQLArgumentExtensions {
    formerNameOf?: string;
    hasFormerName?: FormerName;
  }
  interface GraphQLInputFieldExtensions {
    /** The current name of this input, which is deprecated. */
    formerNameOf?: string;
    hasFormerName?: FormerName;
  }
}

interface FormerName {
  name: string;
  /** One of the two names must be given. In the schema, both are optional, because clients choose one. */
  isRequired: boolean;
}

/** The engine's plugins and ours that add fields with names from SQL. */
const pluginsWithFields = [
  "PgAllRowsPlugin",
  "PgAttributesPlugin",
  "PgCustomTypeFieldPlugin",
  "PgRelationsPlugin",
  "PgRowByUniquePlugin",
  "FlatMutationsPlugin",
  "ManyToManyPlugin",
];

/**
 * A thing with the smart tag `@formerly old_name` keeps its former name in the API, deprecated, beside the new one: the
 * fields of a column, of its foreign key, of a function, and of a table. In inputs, both names are accepted: those of
 * columns of composite types, and of arguments with `@formerArgument new_name old_name` in their function's comment.
 *
 * A table's type cannot have two names. It keeps the former one until the tag is removed (NamesPlugin).
 *
 * @throws VALIDATION_ERROR when a request gives a value under both names, or a required one under neither.
 */
export const FormerNamesPlugin: GraphileConfig.Plugin = {
  name: "FormerNamesPlugin",
  version: "1.0.0",
  after: ["PgCustomTypeFieldPlugin", "FunctionArgumentsPlugin"],
  schema: {
    hooks: {
      build: acceptFormerArguments,
      GraphQLObjectType_fields_field: acceptFormerKeys,
      GraphQLObjectType_fields: { after: pluginsWithFields, callback: addFormerFields },
      GraphQLInputObjectType_fields: { after: ["PgAttributesPlugin"], callback: addFormerInputs },
    },
  },
};

// Fields.

function addFormerFields(fields: Fields, build: Build, context: FieldsContext): Fields {
  const names = () => fieldNames(build, context);
  const formerNames = withFormerNames(names);
  const renamed = new Map(names().flatMap((name, i) => (formerNames[i] === name ? [] : [[name, formerNames[i]]])));
  for (const [name, former] of renamed as Map<string, string>) {
    const field = fields[name];
    if (!field) continue;
    build.extend(fields, { [former]: formerField(field, name) }, `the former name of ${context.Self.name}.${name}`);
  }
  return fields;
}

function formerField(field: Field, name: string): Field {
  // The engine gives no plan to a column whose field name is its SQL name.
  const plan = field.plan ?? defaultPlanResolver;
  return {
    ...field,
    deprecationReason: `Use ${name}.`,
    plan: ($parent: Step, args: FieldArgs, info: FieldInfo) => plan($parent, args, { ...info, fieldName: name }),
  };
}

/** The names of a type's fields that come from SQL names, in an order that does not depend on the names. */
function fieldNames(build: Build, { scope }: FieldsContext): string[] {
  if (scope.isRootQuery) return queryNames(build);
  if (scope.isRootMutation) return mutationNames(build);
  return scope.isPgClassType && scope.pgCodec?.attributes
    ? rowFieldNames(build, scope.pgCodec as PgCodecWithAttributes)
    : [];
}

function mutationNames({ inflection, pgResources }: Build): string[] {
  return (Object.values(pgResources) as PgResource[])
    .filter(({ isMutation }) => isMutation)
    .map((resource) => inflection.customMutationField({ resource: resource as never }));
}

function queryNames({ inflection, pgResources }: Build): string[] {
  return (Object.values(pgResources) as PgResource[])
    .filter(({ isMutation }) => !isMutation)
    .flatMap((resource) => {
      const details = { resource: resource as never };
      return resource.parameters
        ? [
            inflection.customQueryField(details),
            inflection.customQueryListField(details),
            inflection.customQueryConnectionField(details),
          ]
        : [
            inflection.allRowsList(resource as never),
            inflection.allRowsConnection(resource as never),
            ...resource.uniques.map((unique) => inflection.rowByUnique({ ...details, unique: unique as never })),
          ];
    });
}

function rowFieldNames(build: Build, codec: PgCodecWithAttributes): string[] {
  const { inflection, pgResources, input } = build;
  const registry = input.pgRegistry;
  const relations = Object.entries((registry.pgRelations[codec.name] ?? {}) as Record<string, PgCodecRelation>);
  const functions = (Object.values(pgResources) as PgResource[]).filter(
    ({ parameters }) => parameters?.[0]?.codec === codec,
  );
  return [
    ...Object.keys(codec.attributes).map((attributeName) => inflection.attribute({ codec, attributeName })),
    ...relations.flatMap(([relationName, { isReferencee }]) => {
      const details = { registry, codec, relationName } as never;
      return isReferencee
        ? [
            inflection.singleRelationBackwards(details),
            inflection.manyRelationList(details),
            inflection.manyRelationConnection(details),
          ]
        : [inflection.singleRelation(details)];
    }),
    ...functions.flatMap((resource) => {
      const details = { resource: resource as never };
      return [
        inflection.computedAttributeField(details),
        inflection.computedAttributeListField(details),
        inflection.computedAttributeConnectionField(details),
      ];
    }),
    ...crossingsFrom(build, codec).flatMap((crossing) => crossingNames(build, crossing)),
  ];
}

// Inputs.

type Path = ValidationFault["path"];
type Input = GraphQLArgumentConfig | GraphQLInputFieldConfig;

/** Adds the input `former` beside the input `name`. */
function addFormerName(build: Build, inputs: Record<string, Input>, name: string, former: string): void {
  const { getNullableType, isNonNullType } = build.graphql;
  const input = inputs[name];
  if (!input) return;
  if (inputs[former]) throw new Error(`@formerly: there is another input with the name ${former}, beside ${name}`);
  const type = getNullableType(input.type);
  const hasFormerName: FormerName = { name: former, isRequired: isNonNullType(input.type) };
  inputs[name] = { ...input, type, extensions: { ...input.extensions, hasFormerName } };
  const { apply: _, ...described } = input as GraphQLInputFieldConfig & { apply?: unknown };
  inputs[former] = {
    ...described,
    type,
    deprecationReason: `Use ${name}.`,
    extensions: { ...input.extensions, formerNameOf: name },
  };
}

function addFormerInputs(
  fields: GraphQLInputFieldConfigMap,
  build: Build,
  { scope }: GraphileBuild.ContextInputObjectFields,
): GraphQLInputFieldConfigMap {
  const codec = scope.pgCodec as PgCodecWithAttributes | undefined;
  for (const [attributeName, attribute] of Object.entries(codec?.attributes ?? {})) {
    if (!codec || !formerlyTag(attribute.extensions?.tags)) continue;
    const name = () => build.inflection.attribute({ codec, attributeName });
    addFormerName(build, fields as never, name(), withFormerNames(name));
  }
  return fields;
}

/** Functions get their arguments under the current names, at any depth. */
function acceptFormerArguments(partialBuild: Partial<Build>): never {
  const build = partialBuild as Build;
  const stock = build.pgGetArgDetailsFromParameters;
  build.pgGetArgDetailsFromParameters = (resource, ...rest) => {
    const details = stock(resource, ...rest);
    const formerNames = new Map<string, FormerName>();
    for (const line of linesOf(resource.extensions?.tags, "formerArgument")) {
      const [argument, former = "", ...others] = line.split(" ");
      const detail = details.argDetails.find(({ postgresArgName }) => postgresArgName === argument);
      if (!detail || !/^\w+$/.test(former) || others.length > 0) {
        throw new Error(
          `@formerArgument ${line} of ${resource.name}: it needs the name of an argument and its former name`,
        );
      }
      const isRequired = detail.optional !== true;
      formerNames.set(detail.graphqlArgName, { name: build.inflection.camelCase(former), isRequired });
    }
    return {
      ...details,
      makeArgs: (args, path) => details.makeArgs(withCurrentNames(build, args, formerNames), path),
      makeFieldArgs() {
        const args = details.makeFieldArgs();
        for (const [name, former] of formerNames) addFormerName(build, args as never, name, former.name);
        return args;
      },
    };
  };
  return partialBuild as never;
}

/** A field that reads one row by its key takes the former names of the key's columns. */
function acceptFormerKeys(field: Field, build: Build, { scope }: FieldContext): Field {
  const { pgFieldResource, pgFieldResourceUnique, isPgRowByUniqueConstraintField } = scope;
  if (!isPgRowByUniqueConstraintField || !pgFieldResource || !pgFieldResourceUnique || !field.plan) return field;
  const codec = pgFieldResource.codec as PgCodecWithAttributes;
  const renamed = pgFieldResourceUnique.attributes.filter((name) =>
    formerlyTag(codec.attributes[name]?.extensions?.tags),
  );
  if (renamed.length === 0) return field;
  const formerNames = new Map(
    renamed.map((attributeName): [string, FormerName] => {
      const name = () => build.inflection.attribute({ codec, attributeName });
      return [name(), { name: withFormerNames(name), isRequired: true }];
    }),
  );
  const args = { ...field.args };
  for (const [name, former] of formerNames) addFormerName(build, args as never, name, former.name);
  const { plan } = field;
  return {
    ...field,
    args,
    plan: ($parent: Step, given: FieldArgs, info: FieldInfo) =>
      plan($parent, withCurrentNames(build, given, formerNames), info),
  };
}

function withCurrentNames(build: Build, args: FieldArgs, formerNames: ReadonlyMap<string, FormerName>): FieldArgs {
  // Functions and keys ask for whole arguments only.
  const getRaw = (path: string | [string]) => {
    const [name] = [path].flat() as [string];
    const type = args.typeAt(name);
    const hasFormerName = formerNames.get(name);
    if (!hasFormerName && !takesFormerNames(build, type)) return args.getRaw(name);
    const $former = hasFormerName ? args.getRaw(hasFormerName.name) : constant(undefined);
    const current = ([given, former]: readonly unknown[]) => {
      const inputs = { [name]: given, ...(hasFormerName ? { [hasFormerName.name]: former } : null) };
      const faults: ValidationFault[] = [];
      const value = currentValue(build, inputs, { name, type, extensions: { hasFormerName } }, [], faults);
      if (faults.length > 0) throw invalidInput(faults);
      return value;
    };
    return operationPlan().withRootLayerPlan(() => lambda([args.getRaw(name), $former] as const, current));
  };
  const steps = [...formerNames.keys()].map((name) => [`$${name}`, { get: () => getRaw(name) }] as const);
  return Object.create(args, { getRaw: { value: getRaw }, ...Object.fromEntries(steps) });
}

function takesFormerNames({ graphql }: Build, type: GraphQLInputType, seen = new Set<unknown>()): boolean {
  const named = graphql.getNamedType(type);
  if (!graphql.isInputObjectType(named) || seen.has(named)) return false;
  seen.add(named);
  return Object.values(named.getFields()).some(
    ({ type: inner, extensions }) => extensions.formerNameOf || takesFormerNames({ graphql } as Build, inner, seen),
  );
}

type Described = { name: string; type: GraphQLInputType; extensions: { hasFormerName?: FormerName | undefined } };
type Inputs = Readonly<Record<string, unknown>>;

/** The value of one input among those given, under its current name. */
function currentValue(build: Build, given: Inputs, input: Described, path: Path, faults: ValidationFault[]): unknown {
  const { name, type, extensions } = input;
  const { hasFormerName } = extensions;
  const former = hasFormerName && given[hasFormerName.name];
  const value = given[name] === undefined ? former : given[name];
  if (hasFormerName && former !== undefined && given[name] !== undefined) {
    const message = `\`${hasFormerName.name}\` is the former name of \`${name}\`. Give one of them.`;
    faults.push({ path: [...path, hasFormerName.name], field: hasFormerName.name, code: "INVALID", message });
  }
  if (hasFormerName?.isRequired && (value === undefined || value === null)) {
    faults.push({ path: [...path, name], field: name, code: "REQUIRED", message: `\`${name}\` is required.` });
  }
  return withinValue(build, value, type, [...path, name], faults);
}

function withinValue(
  build: Build,
  value: unknown,
  type: GraphQLInputType,
  path: Path,
  faults: ValidationFault[],
): unknown {
  const { isInputObjectType, isListType, isNonNullType } = build.graphql;
  if (value === undefined || value === null) return value;
  if (isNonNullType(type)) return withinValue(build, value, type.ofType, path, faults);
  if (isListType(type) && Array.isArray(value)) {
    return value.map((item, i) => withinValue(build, item, type.ofType, [...path, i], faults));
  }
  if (!isInputObjectType(type)) return value;
  const current = Object.values(type.getFields())
    .filter(({ extensions }) => !extensions.formerNameOf)
    .map((field) => [field.name, currentValue(build, value as Inputs, field, path, faults)] as const);
  return Object.fromEntries(current.filter(([, one]) => one !== undefined));
}
