import { notFound, refusedValue } from "@content-service/errors/ApiError.ts";
import { defaultPlanResolver, type FieldArgs, type FieldInfo, lambda, type Step } from "postgraphile/grafast";
import { describeSource, type FieldSource, sourceOf, type ValueSource } from "./compiled/fieldSource.ts";
import type { Field } from "./support/fields.ts";
import { shapeRows } from "./support/planRows.ts";
import { presentRow } from "./support/presentRow.ts";
import { version } from "./support/version.ts";

/** The plugins that describe fields. A hook of a project may move them behind its own. */
const describing = [
  "FieldSourcesPlugin",
  "TimestampFormatPlugin",
  "MutationRowsPlugin",
  "ListFilterPlugin",
  "ListOrderPlugin",
  "RequiresPlugin",
  "ListFunctionsPlugin",
  "LimitOffsetPlugin",
  "NotFoundPlugin",
  "UnauthorizedWhenNullPlugin",
];

/**
 * Makes the plan of each field from the description of its source: the plan that the engine gave it, and what plugins have added to the
 * description. So a plugin describes a change once, and the engine and compiled statements do the same.
 */
export const FieldPlansPlugin: GraphileConfig.Plugin = {
  name: "FieldPlansPlugin",
  version,
  description: "Makes the plans of fields from the descriptions of their sources.",
  schema: { hooks: { GraphQLObjectType_fields_field: { after: describing, callback: planField } } },
};

function planField(field: Field): Field {
  const source = field.extensions?.source?.source;
  const shape = source && shapeOf(source);
  if (!shape) return field;
  // The engine gives no plan to a column whose field name is its SQL name.
  const plan = field.plan ?? defaultPlanResolver;
  const planned: Field = {
    ...field,
    plan: ($parent: Step, args: FieldArgs, info: FieldInfo) => shape(plan($parent, args, info) as Step, args),
  };
  // A plugin may have changed the plan, and the description is that of the former one.
  return sourceOf(field) ? describeSource(planned, source) : planned;
}

type Shape = ($result: Step, args: FieldArgs) => Step;

function shapeOf(source: FieldSource): Shape | undefined {
  if (source.kind === "list" || source.kind === "connection") return shapeRows(source);
  if (source.kind === "row") return source.isRequired ? presentRow(notFound) : undefined;
  return source.kind === "value" ? shapeValue(source) : undefined;
}

function shapeValue({ format, isRefusedWhenNull }: ValueSource): Shape | undefined {
  if (!format && !isRefusedWhenNull) return undefined;
  const formatText = ([text, choice]: readonly [string | null, string | null]) =>
    text ? (format?.formats[choice ?? format.byDefault]?.shorten(text) ?? text) : null;
  return ($value, args) => {
    const $text = format ? lambda([$value, args.getRaw(format.argument)] as const, formatText as never, true) : $value;
    return isRefusedWhenNull ? lambda($text, presentOnly, true) : $text;
  };
}

function presentOnly(value: unknown): unknown {
  if (value === null || value === undefined) throw refusedValue();
  return value;
}
