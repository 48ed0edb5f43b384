import "postgraphile";
import { type PgResource, PgSelectStep } from "postgraphile/@dataplan/pg";
import type { FieldArgs, FieldInfo, GrafastFieldConfig, Step } from "postgraphile/grafast";
import { ConnectionStep, defaultPlanResolver } from "postgraphile/grafast";
import { CheckedListStep } from "./CheckedListStep.ts";

export type Field = GrafastFieldConfig<any, any, any>;
export type Fields = { [fieldName: string]: Field };
export type FieldsContext = GraphileBuild.ContextObjectFields;
export type FieldContext = GraphileBuild.ContextObjectFieldsField;
export type Build = GraphileBuild.Build;

/** The field with its answer passed on to `shape`, which is given the arguments too. */
export function reshape(field: Field, shape: ($answer: Step, args: FieldArgs, $parent: Step) => Step): Field {
  // A column that is called what it is called in SQL has none of its own.
  const plan = field.plan ?? defaultPlanResolver;
  return {
    ...field,
    plan: ($parent: Step, args: FieldArgs, info: FieldInfo) => shape(plan($parent, args, info) as Step, args, $parent),
  };
}

/** The rows a list or a connection is made of. */
export function rowsOf($answer: Step): PgSelectStep {
  const $rows =
    $answer instanceof ConnectionStep
      ? $answer.getSubplan()
      : $answer instanceof CheckedListStep
        ? $answer.getClassStep()
        : $answer;
  if (!($rows instanceof PgSelectStep)) throw new Error(`Expected rows of PostgreSQL, found ${$answer}`);
  return $rows;
}

/** A smart tag on the function or the table that a field reads, the function's own first. */
export function smartTag(resource: PgResource | undefined, name: string): string | true | undefined {
  const value = resource?.extensions?.tags?.[name] ?? resource?.codec.extensions?.tags?.[name];
  return Array.isArray(value) ? value.join(" ") : (value ?? undefined);
}
