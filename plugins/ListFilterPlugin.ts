import {
  listOfCodec,
  type PgCodec,
  type PgCodecAttribute,
  type PgCodecWithAttributes,
  type PgResource,
  TYPES,
} from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GraphQLInputType } from "postgraphile/graphql";
import type { Condition } from "./compiled/fieldSource.ts";
import { amendRows, type Build, descriptionsOf, type Field, type FieldContext, isListField } from "./support/fields.ts";
import { functionFilters } from "./support/filteredFunction.ts";
import { listKey } from "./support/listKey.ts";
import { version } from "./support/version.ts";

declare global {
  namespace GraphileBuild {
    interface Inflection {
      /** The name of an argument that filters a list by a column. */
      listFilterArgument(this: Inflection, details: ListFilterDetails): string;
    }
  }
}

/** A filter by a column. */
export interface ListFilterDetails {
  /** The column's field. */
  name: string;
  /** The operator's, such as `Gte`; empty for equality. */
  suffix: string;
  /** The name in the smart tag, if it has one. */
  argument?: string | undefined;
}

interface Operator {
  /** Follows the column's name in the argument. */
  suffix: string;
  /** How the description puts it, `the column` and `field` being the column. */
  description: string;
  condition(column: SQL, given: Given): SQL;
  isList?: true;
  /** Of the argument. Without it, the column's own. */
  codec?: PgCodec;
  /** The argument's name, if the tag has one. */
  argument?: string | undefined;
}

/** The argument's value, in one of two forms. */
interface Given {
  /** The value as a parameter of the statement. */
  parameter(): SQL;
  /** The value itself. The statement then serves this value alone. */
  value(): unknown;
}

const comparedBy = (operator: SQL) => (column: SQL, given: Given) => sql`${column} ${operator} ${given.parameter()}`;

/** By the words of the smart tag. */
const operators: Readonly<Record<string, Operator>> = {
  eq: { suffix: "", description: "Only those with this the column.", condition: comparedBy(sql`=`) },
  gt: { suffix: "Gt", description: "Only those whose the column is greater.", condition: comparedBy(sql`>`) },
  gte: {
    suffix: "Gte",
    description: "Only those whose the column is this or greater.",
    condition: comparedBy(sql`>=`),
  },
  lt: { suffix: "Lt", description: "Only those whose the column is less.", condition: comparedBy(sql`<`) },
  lte: { suffix: "Lte", description: "Only those whose the column is this or less.", condition: comparedBy(sql`<=`) },
  in: {
    suffix: "In",
    description: "Only those whose the column is one of these.",
    condition: (column, given) => sql`${column} = any (${given.parameter()})`,
    isList: true,
  },
  isNull: {
    suffix: "IsNull",
    description: "Only those whose `field` is null, or is not.",
    // Not compared with a parameter, so that PostgreSQL can use a partial index.
    condition: (column, given) => (given.value() ? sql`${column} is null` : sql`${column} is not null`),
    codec: TYPES.boolean,
  },
};

/**
 * The line `@listFilter tag lib.post_ids_of_tag` of a table is an argument that filters by a function: it takes a text, and
 * returns the primary keys of the rows. `@describe tag …` describes the argument. `name_starts_with` would be the argument
 * `nameStartsWith`.
 *
 * A column with the smart tag `@listFilter` is an optional argument of every list and connection of its table:
 * `posts(status: PUBLISHED)`. The tag can name operators: `@listFilter gte lte in` gives the arguments `createdAtGte`,
 * `createdAtLte` and `createdAtIn`; equality is named `eq` then. `isNull` takes a name for its argument, `isNull:unread`. Several
 * arguments apply together. Without an argument, or with null, the list is not filtered by it. A list from the row that the column
 * refers to does not have the argument.
 */
export const ListFilterPlugin: GraphileConfig.Plugin = {
  name: "ListFilterPlugin",
  version,
  description: "Adds filters to lists: @listFilter.",
  inflection: {
    add: {
      listFilterArgument: (_options, { name, suffix, argument }) => argument ?? name + suffix,
    },
  },
  schema: { hooks: { GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: filterField } } },
};

/** An optional argument of a list. */
interface Filter {
  argument: string;
  description: string | undefined;
  codec: PgCodec;
  isList: boolean;
  condition(rows: SQL, given: Given): SQL;
}

function filterField(field: Field, build: Build, { scope }: FieldContext): Field {
  const { pgFieldResource: resource } = scope;
  const isList = isListField(scope) && !resource?.isUnique;
  if (!isList || !resource?.codec.attributes || resource.parameters) return field;
  const fixed = scope.pgCrossing ? [] : (listKey(scope)?.columns ?? []);
  const filters = [...columnFilters(build, resource.codec, fixed), ...filtersByFunction(build, resource as PgResource)];
  const args = { ...field.args };
  for (const filter of filters) {
    const { argument } = filter;
    if (args[argument])
      throw new Error(`@listFilter: ${resource.codec.name} has two filters with the name ${argument}`);
    args[argument] = argumentOf(build, filter);
  }
  const names = filters.map(({ argument }) => argument);
  return amendRows(
    { ...field, args },
    (source) => ({ ...source, where: [...source.where, ...filters.map(conditionOf)] }),
    names,
  );
}

/** @param fixed columns whose value is that of the row that the list belongs to */
function columnFilters(build: Build, codec: PgCodec, fixed: readonly string[]): Filter[] {
  return Object.entries<PgCodecAttribute>(codec.attributes ?? {}).flatMap(([attributeName, attribute]) => {
    const name = build.inflection.attribute({ codec: codec as PgCodecWithAttributes, attributeName });
    const operators = fixed.includes(attributeName) ? [] : operatorsOf(codec, attributeName);
    return operators.map((operator) => ({
      argument: build.inflection.listFilterArgument({ name, ...operator }),
      description: operator.description
        .replace("the column", String(attribute.extensions?.tags?.name ?? attributeName).replaceAll("_", " "))
        .replace("`field`", `\`${name}\``),
      codec: operator.codec ?? attribute.codec,
      isList: operator.isList === true,
      condition: (rows, given) => operator.condition(sql`${rows}.${sql.identifier(attributeName)}`, given),
    }));
  });
}

function filtersByFunction(build: Build, { name, codec, uniques }: PgResource): Filter[] {
  const descriptions = descriptionsOf(codec.extensions?.tags);
  return functionFilters(codec, build).map((each) => {
    const [key, ...others] = uniques.find(({ isPrimary }) => isPrimary)?.attributes ?? [];
    if (key === undefined || others.length > 0) {
      throw new Error(`@listFilter of ${name}: a filter by a function needs a primary key of one column`);
    }
    return {
      argument: each.argument,
      description: descriptions.get(each.filterName),
      codec: each.codec,
      isList: false,
      condition: (rows, given) =>
        sql`${rows}.${sql.identifier(key)} in (select * from ${each.name}(${given.parameter()}))`,
    };
  });
}

function argumentOf(build: Build, { description, codec, isList }: Filter): never {
  const { GraphQLList, GraphQLNonNull } = build.graphql;
  const type = build.getGraphQLTypeByPgCodec(codec as never, "input") as GraphQLInputType;
  return { type: isList ? new GraphQLList(new GraphQLNonNull(type as never)) : type, description } as never;
}

/** Compiled statements leave an argument with a list to the engine. */
function conditionOf({ argument, codec, isList, condition }: Filter): Condition {
  const valueCodec = isList ? listOfCodec(codec as never) : codec;
  const given: Condition = (rows, _row, args) =>
    args.isPresent(argument)
      ? condition(rows, { parameter: () => args.parameter(argument, valueCodec), value: () => args.value(argument) })
      : undefined;
  return Object.assign(given, { filter: argument, isAdded: true as const });
}

function operatorsOf({ name, attributes }: PgCodec, attributeName: string): Operator[] {
  const tag = attributes?.[attributeName]?.extensions?.tags?.listFilter;
  if (tag === undefined) return [];
  const words = tag === true || tag === "" ? ["eq"] : [tag].flat().join(" ").trim().split(/\s+/);
  return words.map((text) => {
    const [word = "", argument] = text.split(":");
    const operator = operators[word];
    if (operator && argument !== "") return { ...operator, argument };
    const known = Object.keys(operators).join(", ");
    throw new Error(`@listFilter of ${name}.${attributeName}: “${text}” is none of ${known}`);
  });
}
