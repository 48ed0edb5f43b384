import type { PgCodec, PgCodecWithAttributes, PgResource } from "postgraphile/@dataplan/pg";
import { sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GraphQLEnumValueConfigMap } from "postgraphile/graphql";
import type { Order } from "./compiled/fieldSource.ts";
import type { Crossing } from "./ManyToManyPlugin.ts";
import {
  amendRows,
  type Build,
  descriptionsOf,
  type Field,
  type FieldContext,
  isListField,
  linesOf,
  primaryKeyOf,
  smartTag,
} from "./support/fields.ts";
import { version } from "./support/version.ts";

/**
 * Every list and connection of a table has a total order, so that pages neither repeat nor skip rows. The table's
 * smart tag `@listOrder listed_at desc, id desc` sets it; the default is the primary key. The last column must be
 * unique in the list, and no column may be nullable.
 *
 * Further lines with a name, `@listOrder POPULAR: likes desc, id desc`, are orders that clients can choose with the
 * argument `orderBy`. `@describe POPULAR …` describes one in words. A cursor is valid in its own order only.
 *
 * In the comment of a foreign key of a join table, `@listOrder added_at desc, tag_id` orders the lists from the row that the key refers
 * to by columns of the join table.
 */
export const ListOrderPlugin: GraphileConfig.Plugin = {
  name: "ListOrderPlugin",
  version,
  description: "Gives lists a total order: @listOrder.",
  schema: {
    hooks: {
      init: { after: ["PgCodecs"], callback: registerChoices },
      GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin", "ListFilterPlugin"], callback: orderField },
    },
  },
};

function registerChoices<Init>(init: Init, build: Build): Init {
  for (const codec of Object.values(build.pgCodecs) as PgCodec[]) {
    const choices = choicesOf(codec);
    if (choices.size === 0) continue;
    const type = build.inflection.tableType(codec as PgCodecWithAttributes);
    const values: GraphQLEnumValueConfigMap = {};
    const descriptions = descriptionsOf(codec.extensions?.tags);
    for (const [name, orders] of choices) {
      const columns = columnsOf(build, codec, orders, " ascending").join(", then ");
      values[name] = { value: name, description: descriptions.get(name) ?? `By ${columns}.` };
    }
    build.registerEnumType(
      typeOfChoices(build, codec),
      {},
      () => ({ description: `The orders that lists of the type ${type} can have instead of their own.`, values }),
      "ListOrderPlugin",
    );
  }
  return init;
}

function typeOfChoices({ inflection }: Build, codec: PgCodec): string {
  return `${inflection.tableType(codec as PgCodecWithAttributes)}OrderBy`;
}

/** The columns of an order, as clients know them. */
function columnsOf({ inflection }: Build, codec: PgCodec, orders: readonly Order[], ascending: string): string[] {
  return orders.map(({ attribute, direction }) => {
    const name = inflection.attribute({ codec: codec as PgCodecWithAttributes, attributeName: attribute });
    return name + (direction === "ASC" ? ascending : " descending");
  });
}

/**
 * Says in which order a table's lists are: in the words of the smart tag `@describe listOrder Newest first.`, or by the names of the
 * columns. Undefined where clients do not see a column.
 */
export function orderSentence(build: Build, resource: PgResource): string | undefined {
  const sentence = descriptionsOf(resource.codec.extensions?.tags).get("listOrder");
  if (sentence) return sentence;
  const codec = resource.codec as PgCodecWithAttributes;
  const orders = standardOrder(resource);
  const isSeen = ({ attribute }: Order) =>
    build.behavior.pgCodecAttributeMatches([codec, attribute] as never, "attribute:select");
  if (orders.length === 0 || !orders.every(isSeen)) return undefined;
  return `Ordered by ${columnsOf(build, codec, orders, "").join(", then by ")}.`;
}

function orderField(field: Field, build: Build, { scope }: FieldContext): Field {
  const resource = scope.pgFieldResource;
  if (!isListField(scope) || !resource || resource.isUnique) return field;
  const standard = standardOrder(resource, scope.pgCrossing);
  if (standard.length === 0) return field;
  // A function with @pageArgument finds the first rows in its own order.
  const choices = smartTag(resource, "pageArgument") ? new Map<string, Order[]>() : choicesOf(resource.codec);
  const ordered = amendRows(field, (source) => ({ ...source, order: standard, choices }), ["orderBy"]);
  if (choices.size === 0) return ordered;
  if (field.args?.["orderBy"]) throw new Error(`@listOrder: ${resource.name} has an argument orderBy of its own`);
  const description = "Instead of the list’s own order.";
  ordered.args = {
    ...field.args,
    orderBy: { type: build.getInputTypeByName(typeOfChoices(build, resource.codec)), description },
  };
  return ordered;
}

/**
 * The SQL text of an order that clients choose is different from those of others, by a comment. A cursor contains a hash of the expressions that
 * its list is ordered by, but not of their directions, so a cursor of the reverse order would pass for one of this.
 */
function marked(order: Order, choice: string): Order {
  return { ...order, mark: sql.comment(`${choice} ${order.direction}`, true) };
}

/** A line of @listOrder with a name for clients: POPULAR: likes desc, id desc */
const named = /^([A-Z][A-Z0-9_]*):\s*(.+)$/;

/** The orders that clients can choose, by name. Tables have them, and functions that return a table's rows. */
function choicesOf(codec: PgCodec): Map<string, Order[]> {
  const lines = linesOf(codec.extensions?.tags, "listOrder").map((line) => named.exec(line));
  return new Map(
    lines.flatMap((line) => {
      const [, name, columns] = line ?? [];
      if (!name || !columns) return [];
      return [[name, parseOrder(codec, codec.name, columns).map((order) => marked(order, name))] as const];
    }),
  );
}

function standardOrder(resource: PgResource, crossing?: Crossing): Order[] {
  const [ofKey] = linesOf(crossing?.toLeft.extensions?.tags, "listOrder");
  if (crossing && ofKey !== undefined) {
    const { junction, alias } = crossing;
    return parseOrder(junction.codec, junction.name, ofKey).map((order) => ({ ...order, table: alias }));
  }
  const [own, ofTable] = [resource, resource.codec].map(({ extensions }) =>
    linesOf(extensions?.tags, "listOrder").filter((line) => !named.test(line)),
  );
  const lines = own?.length ? own : (ofTable ?? []);
  if (lines.length > 1)
    throw new Error(`@listOrder of ${resource.name}: one line has no name, and all others have one`);
  if (lines[0] !== undefined) return parseOrder(resource.codec, resource.name, lines[0]);
  const primaryKey = primaryKeyOf(resource) ?? [];
  const attributes = resource.codec.attributes ?? {};
  return primaryKey.map((attribute) => ({
    attribute,
    direction: "ASC",
    codec: attributes[attribute]?.codec as PgCodec,
  }));
}

function parseOrder(codec: PgCodec, listName: string, columns: string): Order[] {
  return columns.split(",").map((part) => {
    const [attribute = "", direction = "asc", ...rest] = part.trim().split(/\s+/);
    const column = codec.attributes?.[attribute];
    if (!column || !/^(asc|desc)$/i.test(direction) || rest.length > 0) {
      throw new Error(
        `@listOrder of ${listName}: “${part.trim()}” is not a column, optionally followed by asc or desc`,
      );
    }
    if (!column.notNull) {
      throw new Error(`@listOrder of ${listName}: ${attribute} is nullable, so the order is not total`);
    }
    return { attribute, direction: direction.toUpperCase() as Order["direction"], codec: column.codec };
  });
}
