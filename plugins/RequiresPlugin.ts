import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { Condition } from "./compiled/fieldSource.ts";
import { amendRows, type Field, type FieldContext, isListField, smartTag } from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * The smart tag `@requires lib.require_librarian` of a table names a function that returns true, or raises for callers to whom its
 * root list is closed. Without it, they would read an empty list.
 */
export const RequiresPlugin: GraphileConfig.Plugin = {
  name: "RequiresPlugin",
  version,
  description: "Closes root lists to some callers: @requires.",
  schema: {
    hooks: {
      GraphQLObjectType_fields_field: {
        after: ["FieldSourcesPlugin", "ListFilterPlugin", "ListOrderPlugin"],
        callback: requireRight,
      },
    },
  },
};

function requireRight(field: Field, _build: unknown, { scope }: FieldContext): Field {
  const { isRootQuery, pgFieldResource: resource } = scope;
  const name = resource?.parameters ? undefined : smartTag(resource, "requires");
  if (!isRootQuery || !isListField(scope) || name === undefined) return field;
  // A subquery: it runs once, and before any row is read.
  const condition = sql`(select ${sql.identifier(...String(name).split("."))}())`;
  const added: Condition = Object.assign(() => condition, { isAdded: true as const });
  return amendRows(field, (source) => ({ ...source, where: [...source.where, added] }));
}
