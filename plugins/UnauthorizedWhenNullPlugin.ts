import "postgraphile";
import type { PgResource } from "postgraphile/@dataplan/pg";
import { lambda } from "postgraphile/grafast";
import { Refusal } from "../src/errors.ts";
import { type Build, type Field, type FieldContext, reshape } from "./support/fields.ts";

/**
 * A column or computed column with the smart tag `@unauthorizedWhenNull` is null for those who may not see it, and says
 * so: the field is null with UNAUTHORIZED, the rest of the row stands (specification 5, 7). So SQL decides who may, and
 * need not fail a whole statement to say no.
 */
export const UnauthorizedWhenNullPlugin: GraphileConfig.Plugin = {
  name: "UnauthorizedWhenNullPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: refuseNull } },
};

function refuseNull(field: Field, build: Build, context: FieldContext): Field {
  if (!isTagged(build, context)) return field;
  return reshape(field, ($value) => lambda($value, presentOnly, true));
}

function presentOnly(value: unknown): unknown {
  if (value === null || value === undefined) throw new Refusal("UNAUTHORIZED", "You may not see this.");
  return value;
}

function isTagged(build: Build, { scope }: FieldContext): boolean {
  const { pgCodec, fieldName, pgFieldAttribute } = scope;
  if (pgFieldAttribute) return pgFieldAttribute.extensions?.tags?.unauthorizedWhenNull !== undefined;
  if (!pgCodec || scope.fieldBehaviorScope !== "typeField:single") return false;
  return (Object.values(build.pgResources) as PgResource[]).some(
    (resource) =>
      resource.extensions?.tags?.unauthorizedWhenNull !== undefined &&
      resource.parameters?.[0]?.codec === pgCodec &&
      build.inflection.computedAttributeField({ resource: resource as never }) === fieldName,
  );
}
