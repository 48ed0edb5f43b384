import "postgraphile";
import type { PgCodecRelation, PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { defaultPlanResolver, type FieldArgs, type FieldInfo, type Step } from "postgraphile/grafast";
import { crossingNames, crossingsFrom } from "./ManyToManyPlugin.ts";
import type { Build, Field, Fields, FieldsContext } from "./support/fields.ts";
import { withFormerNames } from "./support/formerName.ts";

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
 * fields of a column, of its foreign key, of a function, and of a table. FormerInputsPlugin does the same for inputs.
 *
 * A table's type cannot have two names. It keeps the former one until the tag is removed (NamesPlugin).
 */
export const FormerNamesPlugin: GraphileConfig.Plugin = {
  name: "FormerNamesPlugin",
  version: "1.0.0",
  schema: {
    hooks: {
      GraphQLObjectType_fields: { after: pluginsWithFields, callback: addFormerFields },
    },
  },
};

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
