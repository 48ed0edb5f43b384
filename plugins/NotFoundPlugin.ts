import { amendSource } from "./compiled/fieldSource.ts";
import type { Field, FieldContext } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * A field that reads one row by its key is null with NOT_FOUND when there is no such row. A row that
 * the policies hide gives the same response, so that a client cannot tell that the row exists.
 */
export const NotFoundPlugin: GraphileConfig.Plugin = {
  name: "NotFoundPlugin",
  version,
  description: "Makes missing rows an error.",
  schema: { hooks: { GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: refuseMissing } } },
};

function refuseMissing(field: Field, _build: unknown, { scope }: FieldContext): Field {
  if (!scope.isPgRowByUniqueConstraintField) return field;
  return amendSource(field, (source) => (source.kind === "row" ? { ...source, isRequired: true } : source));
}
