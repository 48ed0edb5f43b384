import { PgSelectSingleStep, PgSelectStep, TYPES } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { FieldArgs, FieldInfo, Step } from "postgraphile/grafast";
import { operationPlan } from "postgraphile/grafast";
import { describeSource, sourceOf } from "./compiled/fieldSource.ts";
import type { Build, Field, FieldContext } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * A mutation's transaction ends before its computed fields are read, so the row that the function returned is sent to PostgreSQL
 * again. This plugin sends it as JSON, which names its columns. By default, the engine sends the columns that it knows by
 * position: after a migration of the table, every such field would fail until the service has rebuilt its schema.
 *
 * Fields of a composite column, or of a list of composites, read the row the same way.
 */
export const MutationRowsPlugin: GraphileConfig.Plugin = {
  name: "MutationRowsPlugin",
  version,
  description: "Reads computed fields of a mutation's row by the names of its columns.",
  schema: { hooks: { GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: readRowAgain } } },
};

function readRowAgain(field: Field, _build: Build, { scope }: FieldContext): Field {
  const { plan } = field;
  if (!plan || !(isComputed(scope) || isComposite(scope))) return field;
  const planned = {
    ...field,
    plan: ($row: Step, args: FieldArgs, info: FieldInfo) => plan(isOfMutation($row) ? again($row) : $row, args, info),
  };
  // Compiled queries have no rows of mutations.
  const source = sourceOf(field)?.source;
  return source ? describeSource(planned, source) : planned;
}

function isComputed({ fieldBehaviorScope }: FieldContext["scope"]): boolean {
  return fieldBehaviorScope?.startsWith("typeField:") === true;
}

function isComposite({ pgFieldAttribute }: FieldContext["scope"]): boolean {
  let codec = pgFieldAttribute?.codec;
  while (codec?.arrayOfCodec) codec = codec.arrayOfCodec;
  return codec?.attributes !== undefined;
}

function isOfMutation($row: Step): $row is PgSelectSingleStep {
  return $row instanceof PgSelectSingleStep && $row.getClassStep().mode === "mutation";
}

/** The same row, as a plain select. All fields of the row share it. */
function again($row: PgSelectSingleStep): PgSelectSingleStep {
  return operationPlan().cacheStep($row, "MutationRowsPlugin", null, () => {
    const { resource } = $row;
    const $json = $row.select(sql`to_json(${$row.getClassStep().alias})::text`, TYPES.text);
    const from = ($select: PgSelectStep) =>
      sql`json_populate_record(null::${resource.codec.sqlType}, ${$select.placeholder($json, TYPES.text)}::json)`;
    const $select = new PgSelectStep({
      resource,
      identifiers: [],
      from: { callback: from },
      joinAsLateral: true,
    } as never);
    return $select.single() as PgSelectSingleStep;
  });
}
