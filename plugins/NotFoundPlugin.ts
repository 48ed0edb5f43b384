import "postgraphile";
import type { PgSelectSingleStep } from "postgraphile/@dataplan/pg";
import { notFound } from "../src/errors/ApiError.ts";
import { type Field, type FieldContext, reshape } from "./support/fields.ts";
import { presentRow } from "./support/PresentRowStep.ts";

/**
 * A single row that is asked for by its key and is not there is null, with NOT_FOUND (specification 7). One that the
 * policies hide is not there either: the answer is the same, to the letter.
 */
export const NotFoundPlugin: GraphileConfig.Plugin = {
  name: "NotFoundPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: refuseMissing } },
};

function refuseMissing(field: Field, _build: unknown, { scope }: FieldContext): Field {
  if (!scope.isPgRowByUniqueConstraintField) return field;
  return reshape(field, ($row) => presentRow($row as PgSelectSingleStep, notFound));
}
