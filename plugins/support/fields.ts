// The types of the engine for all plugins.
import "postgraphile";
import { type PgCodecRelation, type PgResource, PgSelectRowsStep, PgSelectStep } from "postgraphile/@dataplan/pg";
import type { FieldArgs, FieldInfo, Step } from "postgraphile/grafast";
import { ConnectionStep, ConstantStep, defaultPlanResolver } from "postgraphile/grafast";
import type { Field } from "../compiled/Field.ts";
import { amendSource, describeSource, type FieldSource, type RowsSource, sourceOf } from "../compiled/fieldSource.ts";

export type { Field };
/** The fields of a type, by name. */
export type Fields = { [fieldName: string]: Field };
/** The scope of a hook for fields: their type. */
export type FieldsContext = GraphileBuild.ContextObjectFields;
/** The scope of a hook for one field. */
export type FieldContext = GraphileBuild.ContextObjectFieldsField;
/** The engine's build of a schema. */
export type Build = GraphileBuild.Build;
type Scope = FieldContext["scope"];

/**
 * Returns the field with a plan that passes the result of its own plan to `shape`.
 *
 * @param shape makes steps for every request. A function that it hands to a step is made outside of it: inside, the function would keep the
 *   values of the request that was planned, as long as the engine keeps the plan
 * @param amend says the same in SQL. Without it, or if it returns undefined, the field is left to the engine
 * @param args those that `amend` covers
 */
export function wrapPlan(
  field: Field,
  shape: ($result: Step, args: FieldArgs, $parent: Step) => Step,
  amend: (source: FieldSource) => FieldSource | undefined = () => undefined,
  args: readonly string[] = [],
): Field {
  // The engine gives no plan to a column whose field name is its SQL name.
  const plan = field.plan ?? defaultPlanResolver;
  const source = sourceOf(field)?.source;
  const amended = source && amend(source);
  const reshaped = {
    ...field,
    plan: ($parent: Step, args: FieldArgs, info: FieldInfo) => shape(plan($parent, args, info) as Step, args, $parent),
  };
  return amended ? describeSource(reshaped, amended, args) : reshaped;
}

/** Changes the description of a list or a connection. @param args those that the change covers */
export function amendRows(
  field: Field,
  change: (source: RowsSource) => RowsSource,
  args: readonly string[] = [],
): Field {
  const changed = (source: FieldSource) =>
    source.kind === "list" || source.kind === "connection" ? change(source) : source;
  return amendSource(field, changed, args);
}

/** The select behind a list or a connection. */
export function rowsOf($result: Step): PgSelectStep {
  const $rows =
    $result instanceof ConnectionStep
      ? $result.getSubplan()
      : $result instanceof PgSelectRowsStep
        ? $result.getClassStep()
        : $result;
  if (!($rows instanceof PgSelectStep)) throw new Error(`Expected a select, found ${$result}`);
  return $rows;
}

/** Whether the request does not have the argument, not even as a variable. */
export function isMissing($argument: Step): boolean {
  return $argument instanceof ConstantStep && $argument.data === undefined;
}

/** A smart tag of the function or the table that a field reads. The function's tag wins. */
export function smartTag(resource: PgResource | undefined, name: string): string | true | undefined {
  const value = resource?.extensions?.tags?.[name] ?? resource?.codec.extensions?.tags?.[name];
  return Array.isArray(value) ? value.join(" ") : (value ?? undefined);
}

/** Whether a list may have nulls among its items: a function may return them, unless its tag `@notNull items` promises otherwise. */
export function mayReturnNulls({ parameters, extensions }: PgResource): boolean {
  return parameters !== undefined && String(extensions?.tags?.["notNull"]) !== "items";
}

/** The foreign key that a field follows, in the field's direction. */
export function relationOf(details: Scope["pgRelationDetails"]): PgCodecRelation | undefined {
  return details?.registry.pgRelations[details.codec.name]?.[details.relationName] as PgCodecRelation | undefined;
}

/** The function of a field. The engine names it for lists only. */
export function functionOf(scope: Scope, { behavior, inflection, pgResources }: Build): PgResource | undefined {
  const { pgFieldResource, fieldBehaviorScope, fieldName, pgCodec } = scope;
  if (pgFieldResource) return pgFieldResource.parameters ? pgFieldResource : undefined;
  const isOfQuery = fieldBehaviorScope === "queryField:single";
  // Most fields are of no function: the functions are not looked through for them.
  if (!isOfQuery && fieldBehaviorScope !== "typeField:single") return undefined;
  return resourcesOf({ pgResources }).find((resource) => {
    if (!resource.parameters || resource.isMutation || !resource.isUnique) return false;
    if (isOfQuery) {
      return (
        behavior.pgResourceMatches(resource, "queryField") &&
        inflection.customQueryField({ resource: resource as never }) === fieldName
      );
    }
    return (
      resource.parameters[0]?.codec === pgCodec &&
      inflection.computedAttributeField({ resource: resource as never }) === fieldName
    );
  });
}

const resources = new WeakMap<object, readonly PgResource[]>();

/** The tables, views and functions that the engine has found. */
export function resourcesOf({ pgResources }: Pick<Build, "pgResources">): readonly PgResource[] {
  const found = resources.get(pgResources) ?? Object.values(pgResources);
  resources.set(pgResources, found);
  return found;
}

/** The columns of the primary key, of which some tables and all functions have none. */
export function primaryKeyOf({ uniques }: Pick<PgResource, "uniques">): readonly string[] | undefined {
  return uniques.find(({ isPrimary }) => isPrimary)?.attributes;
}

/** Whether a field is a list of a table's or a function's rows, or a connection. */
export function isListField({ isPgFieldSimpleCollection, isPgFieldConnection }: Scope): boolean {
  return isPgFieldSimpleCollection === true || isPgFieldConnection === true;
}

/** The values of a smart tag that may stand on several lines. */
export function linesOf(tags: Record<string, unknown> | undefined, name: string): string[] {
  return [tags?.[name] ?? []].flat().map(String);
}

/**
 * Reads the smart tags `@describe <name> <description>`, one a line, of a function or an enum type. PostgreSQL has no
 * comments for function arguments and enum values.
 */
export function descriptionsOf(tags: Record<string, unknown> | undefined): Map<string, string> {
  return new Map(
    linesOf(tags, "describe").map((line) => {
      const [name = "", ...words] = line.split(" ");
      return [name, words.join(" ")];
    }),
  );
}
