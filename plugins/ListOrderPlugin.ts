import "postgraphile";
import type { PgResource } from "postgraphile/@dataplan/pg";
import { type Field, type FieldContext, reshape, rowsOf, smartTag } from "./support/fields.ts";

interface Order {
  attribute: string;
  direction: "ASC" | "DESC";
}

/**
 * Every list and connection of a table has one order, and a total one, so that pages neither repeat nor skip: the
 * table's smart tag says it (`@listOrder listed_at desc, id desc`), else it is the primary key. The tag ends in a column
 * that is unique in the list, and names none that can be null.
 */
export const ListOrderPlugin: GraphileConfig.Plugin = {
  name: "ListOrderPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: orderField } },
};

function orderField(field: Field, _build: unknown, { scope }: FieldContext): Field {
  const resource = scope.pgFieldResource;
  if (!(scope.isPgFieldSimpleCollection || scope.isPgFieldConnection) || !resource || resource.isUnique) return field;
  // A function that says @ownOrder has one already (InlineFunctionsPlugin).
  if (smartTag(resource, "ownOrder")) return field;
  const orders = orderOf(resource);
  if (orders.length === 0) return field;
  return reshape(field, ($answer) => {
    const $rows = rowsOf($answer);
    for (const order of orders) $rows.orderBy(order);
    $rows.setOrderIsUnique();
    return $answer;
  });
}

function orderOf(resource: PgResource): Order[] {
  const tag = smartTag(resource, "listOrder");
  if (typeof tag !== "string") {
    const primaryKey = resource.uniques.find((unique) => unique.isPrimary)?.attributes ?? [];
    return primaryKey.map((attribute) => ({ attribute, direction: "ASC" }));
  }
  return tag.split(",").map((part) => {
    const [attribute = "", direction = "asc", ...rest] = part.trim().split(/\s+/);
    const column = resource.codec.attributes?.[attribute];
    if (!column || !/^(asc|desc)$/i.test(direction) || rest.length > 0) {
      throw new Error(`@listOrder of ${resource.name}: “${part.trim()}” is no column of it with asc or desc behind`);
    }
    if (!column.notNull)
      throw new Error(`@listOrder of ${resource.name}: ${attribute} can be null, so it orders nothing`);
    return { attribute, direction: direction.toUpperCase() as Order["direction"] };
  });
}
