import "postgraphile";
import type { PgCodecWithAttributes } from "postgraphile/@dataplan/pg";
import { constant, type FieldArgs, type FieldInfo, lambda, operationPlan, type Step } from "postgraphile/grafast";
import type { GraphQLInputFieldConfigMap, GraphQLInputType } from "postgraphile/graphql";
import { invalidInput, type ValidationFault } from "../src/errors/ApiError.ts";
import { type Build, type Field, type FieldContext, linesOf } from "./support/fields.ts";
import { addFormerName, type FormerName, givenValue, type NamedInput } from "./support/formerInput.ts";
import { formerlyTag, withFormerNames } from "./support/formerName.ts";

/**
 * Inputs are accepted under their former names as well, deprecated: columns of composite types and keys with the smart
 * tag `@formerly old_name`, and arguments with `@formerArgument new_name old_name` in their function's comment. SQL gets
 * the current names only.
 *
 * @throws VALIDATION_ERROR when a request gives a value under both names, or a required one under neither.
 */
export const FormerInputsPlugin: GraphileConfig.Plugin = {
  name: "FormerInputsPlugin",
  version: "1.0.0",
  after: ["PgCustomTypeFieldPlugin", "FunctionArgumentsPlugin"],
  schema: {
    hooks: {
      build: acceptFormerArguments,
      GraphQLObjectType_fields_field: acceptFormerKeys,
      GraphQLInputObjectType_fields: { after: ["PgAttributesPlugin"], callback: addFormerInputs },
    },
  },
};

type Path = ValidationFault["path"];

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
    // A connection has arguments of its own, such as `before`, which take the place of a former name.
    const isFormer = hasFormerName && isSameType(build, type, args.typeAt(hasFormerName.name));
    const $former = isFormer ? args.getRaw(hasFormerName.name) : constant(undefined);
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

function isSameType({ graphql }: Build, one: GraphQLInputType, other: GraphQLInputType): boolean {
  return graphql.getNamedType(one) === graphql.getNamedType(other);
}

function takesFormerNames({ graphql }: Build, type: GraphQLInputType, seen = new Set<unknown>()): boolean {
  const named = graphql.getNamedType(type);
  if (!graphql.isInputObjectType(named) || seen.has(named)) return false;
  seen.add(named);
  return Object.values(named.getFields()).some(
    ({ type: inner, extensions }) => extensions.formerNameOf || takesFormerNames({ graphql } as Build, inner, seen),
  );
}

type Described = NamedInput & { type: GraphQLInputType };
type Inputs = Readonly<Record<string, unknown>>;

/** The value of one input among those given, under its current name. */
function currentValue(build: Build, given: Inputs, input: Described, path: Path, faults: ValidationFault[]): unknown {
  const { name, type } = input;
  const value = givenValue(input, given, path, faults);
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
