import { unauthorized } from "@content-service/errors/ApiError.ts";
import type { PgResource } from "postgraphile/@dataplan/pg";
import { amendSource, describeSource, type FieldSource } from "./compiled/fieldSource.ts";
import { engineValue } from "./FieldSourcesPlugin.ts";
import { type Build, type Field, type FieldContext, functionOf, smartTag, wrapPlan } from "./support/fields.ts";
import { presentRow } from "./support/presentRow.ts";
import { version } from "./support/version.ts";

/**
 * A column or computed column with the smart tag `@unauthorizedWhenNull` is null in SQL for callers who may not see it.
 * The field is then null with UNAUTHORIZED, and the rest of the row is returned. SQL decides who
 * may see the value without failing the whole statement.
 *
 * On a mutation, the tag names an attribute that is null when the function returned null, and the reason and the message for
 * the client: `@unauthorizedWhenNull user_id WRONG_PASSWORD: The password is wrong.` Without a reason, it is NOT_SIGNED_IN or
 * FORBIDDEN. The function refuses with null and not with an error, because an error would roll back its writes.
 */
export const UnauthorizedWhenNullPlugin: GraphileConfig.Plugin = {
  name: "UnauthorizedWhenNullPlugin",
  version,
  description: "Makes hidden values an error: @unauthorizedWhenNull.",
  schema: { hooks: { GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: refuseNull } } },
};

function refuseNull(field: Field, build: Build, context: FieldContext): Field {
  const { pgFieldResource, fieldBehaviorScope } = context.scope;
  if (fieldBehaviorScope === "flatMutationField") return refuseNullResult(field, pgFieldResource);
  if (!isTagged(build, context)) return field;
  return amendSource(field.extensions?.source ? field : describeSource(field, engineValue), refuseNullValue);
}

function refuseNullValue(source: FieldSource): FieldSource {
  return { ...(source.kind === "value" ? source : engineValue), isRefusedWhenNull: true };
}

function refuseNullResult(field: Field, resource: PgResource | undefined): Field {
  const tag = smartTag(resource, "unauthorizedWhenNull");
  if (typeof tag !== "string") return field;
  const [, attribute, reason, message = ""] = /^(\S+)(?: ([A-Z_]+):)? ?(.*)$/.exec(tag) ?? [];
  return wrapPlan(
    field,
    presentRow(() => unauthorized(message, reason), attribute),
  );
}

function isTagged(build: Build, { scope }: FieldContext): boolean {
  const { pgFieldAttribute, fieldBehaviorScope } = scope;
  const read = pgFieldAttribute ?? (fieldBehaviorScope === "typeField:single" ? functionOf(scope, build) : undefined);
  return read?.extensions?.tags?.["unauthorizedWhenNull"] !== undefined;
}
