import "postgraphile";
import type { PgCodec, PgResource } from "postgraphile/@dataplan/pg";
import { type Field, type FieldContext, reshape, rowsOf, smartTag } from "./support/fields.ts";

interface Order {
  attribute: string;
  direction: "ASC" | "DESC";
}

/**
 * Every list and connection of a table has one total order, so that pages neither repeat nor skip rows. The table's
 * smart tag `@listOrder listed_at desc, id desc` sets the order; the default is the primary key. The last column must
 * be unique in the list, and no column may be nullable.
 */
export const ListOrderPlugin: GraphileConfig.Plugin = {
  name: "ListOrderPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: orderField } },
};

function orderField(field: Field, _build: unknown, { scope }: FieldContext): Field {
  const resource = scope.pgFieldResource;
  if (!(scope.isPgFieldSimpleCollection || scope.isPgFieldConnection) || !resource || resource.isUnique) return field;
  // InlineFunctionsPlugin keeps the order of a function with @ownOrder.
  if (smartTag(resource, "ownOrder")) return field;
  const orders = orderOf(resource);
  if (orders.length === 0) return field;
  return reshape(
    field,
    ($answer) => {
      const $rows = rowsOf($answer);
      for (const order of orders) $rows.orderBy(order);
      $rows.setOrderIsUnique();
      return $answer;
    },
    (reads) => {
      const attributes = resource.codec.attributes ?? {};
      const order = orders.map((each) => ({ ...each, codec: attributes[each.attribute]?.codec as PgCodec }));
      return reads.kind === "list" || reads.kind === "connection" ? { ...reads, order } : undefined;
    },
  );
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
      throw new Error(
        `@listOrder of ${resource.name}: “${part.trim()}” is not a column, optionally followed by asc or desc`,
      );
    }
    if (!column.notNull)
      throw new Error(`@listOrder of ${resource.name}: ${attribute} is nullable, so the order is not total`);
    return { attribute, direction: direction.toUpperCase() as Order["direction"] };
  });
}
