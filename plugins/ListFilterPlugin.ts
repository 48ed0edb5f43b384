import "postgraphile";
import {
  listOfCodec,
  type PgCodec,
  type PgCodecAttribute,
  type PgResource,
  sqlValueWithCodec,
  TYPES,
} from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { FieldArgs } from "postgraphile/grafast";
import type { GraphQLInputType } from "postgraphile/graphql";
import { type Build, descriptionsOf, type Field, type FieldContext, rowsOf } from "./support/fields.ts";
import { type FunctionFilter, functionFilters } from "./support/filteredFunction.ts";
import { listKey } from "./support/listKey.ts";

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
    description: "True: only those whose `field` is null. False: only the others.",
    // Not compared with a parameter, so that PostgreSQL can use a partial index.
    condition: (column, given) => (given.value() ? sql`${column} is null` : sql`${column} is not null`),
    codec: TYPES.boolean,
  },
};

import {
  type Condition,
  describeSource,
  type RowsSource,
  sourceOf,
} from "@content-service/compiled-queries/fieldSource.ts";

/**
 * The line `@listFilter tag app_hidden.post_ids_of_tag` of a table is an argument that filters by a function: it takes a text, and
 * returns the primary keys of the rows. `@describe tag …` describes the argument.
 *
 * A column with the smart tag `@listFilter` is an optional argument of every list and connection of its table:
 * `posts(status: PUBLISHED)`. The tag can name operators: `@listFilter gte lte in` gives the arguments `createdAtGte`,
 * `createdAtLte` and `createdAtIn`; equality is named `eq` then. `isNull` takes a name for its argument, `isNull:unread`. Several
 * arguments apply together. Without an argument, or with null, the list is not filtered by it. A list from the row that the column
 * refers to does not have the argument.
 */
export const ListFilterPlugin: GraphileConfig.Plugin = {
  name: "ListFilterPlugin",
  version: "1.0.0",
  schema: { hooks: { GraphQLObjectType_fields_field: filterField } },
};

function filterField(field: Field, build: Build, { scope }: FieldContext): Field {
  const codec = scope.pgFieldResource?.codec;
  const isList = (scope.isPgFieldSimpleCollection || scope.isPgFieldConnection) && !scope.pgFieldResource?.isUnique;
  if (!isList || !codec?.attributes || scope.pgFieldResource?.parameters) return field;
  const args = { ...field.args };
  const filters: Filter[] = [];
  const fixed = scope.pgCrossing ? [] : (listKey(scope)?.columns ?? []);
  for (const [attributeName, attribute] of Object.entries<PgCodecAttribute>(codec.attributes)) {
    if (fixed.includes(attributeName)) continue;
    const name = build.inflection.attribute({ codec, attributeName });
    for (const operator of operatorsOf(codec, attributeName)) {
      const argument = operator.argument ?? name + operator.suffix;
      if (args[argument]) throw new Error(`@listFilter: ${codec.name} has two filters with the name ${argument}`);
      const valueCodec = operator.codec ?? attribute.codec;
      args[argument] = filter(build, attributeName, name, valueCodec, operator);
      filters.push({ attributeName, argument, codec: valueCodec, operator });
    }
  }
  const byFunction = functionFilters(codec).map((each) => ({ ...each, key: keyOf(scope.pgFieldResource) }));
  const descriptions = descriptionsOf(codec.extensions?.tags);
  for (const each of byFunction) {
    if (args[each.argument])
      throw new Error(`@listFilter: ${codec.name} has two filters with the name ${each.argument}`);
    args[each.argument] = functionFilter(build, each, descriptions.get(each.argument));
  }
  return filterReads({ ...field, args }, filters, byFunction);
}

interface Filter {
  attributeName: string;
  argument: string;
  codec: PgCodec;
  operator: Operator;
}

interface KeyFilter extends FunctionFilter {
  /** The column that the function returns. */
  key: string;
}

const isFoundBy = ({ name, key }: KeyFilter, rows: SQL, value: SQL) =>
  sql`${rows}.${sql.identifier(key)} in (select * from ${name}(${value}))`;

function keyOf(resource: PgResource | undefined): string {
  const [key, ...others] = resource?.uniques.find(({ isPrimary }) => isPrimary)?.attributes ?? [];
  if (key === undefined || others.length > 0) {
    throw new Error(`@listFilter of ${resource?.name}: a filter by a function needs a primary key of one column`);
  }
  return key;
}

function functionFilter(build: Build, each: KeyFilter, description: string | undefined): never {
  return {
    type: build.graphql.GraphQLString,
    description,
    applyPlan: (_parent: unknown, $answer: never, arg: FieldArgs) => {
      arg.apply(rowsOf($answer), (rows, value: unknown) => {
        if (value === null || value === undefined) return undefined;
        rows.where(isFoundBy(each, rows.alias, sqlValueWithCodec(value, each.codec)));
        return undefined;
      });
    },
  } as never;
}

/** Says the same in SQL. An argument with a list is left to the engine. */
function filterReads(field: Field, filters: readonly Filter[], byFunction: readonly KeyFilter[]): Field {
  const source = sourceOf(field)?.source;
  if (source?.kind !== "list" && source?.kind !== "connection") return field;
  const described = filters.filter(({ operator }) => !operator.isList);
  const where: RowsSource["where"] = described.map(
    ({ attributeName, argument, codec, operator }) =>
      (found, _row, args) =>
        args.isPresent(argument)
          ? operator.condition(sql`${found}.${sql.identifier(attributeName)}`, {
              parameter: () => args.parameter(argument, codec),
              value: () => args.value(argument),
            })
          : undefined,
  );
  const found = byFunction.map((each): Condition => {
    const condition: Condition = (rows, _row, args) =>
      args.isPresent(each.argument) ? isFoundBy(each, rows, args.parameter(each.argument, each.codec)) : undefined;
    return Object.assign(condition, { filter: each.argument });
  });
  const names = [...described, ...byFunction].map(({ argument }) => argument);
  return describeSource(field, { ...source, where: [...source.where, ...where, ...found] }, names);
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

function filter(build: Build, attributeName: string, field: string, codec: PgCodec, operator: Operator): never {
  const { GraphQLList, GraphQLNonNull } = build.graphql;
  const type = build.getGraphQLTypeByPgCodec(codec as never, "input") as GraphQLInputType;
  const valueCodec = operator.isList ? listOfCodec(codec as never) : codec;
  return {
    type: operator.isList ? new GraphQLList(new GraphQLNonNull(type as never)) : type,
    description: operator.description
      .replace("the column", attributeName.replaceAll("_", " "))
      .replace("`field`", `\`${field}\``),
    applyPlan: (_parent: unknown, $answer: never, arg: FieldArgs) => {
      arg.apply(rowsOf($answer), (rows, value: unknown) => {
        if (value === null || value === undefined) return undefined;
        const column = sql`${rows.alias}.${sql.identifier(attributeName)}`;
        const given = { parameter: () => sqlValueWithCodec(value, valueCodec), value: () => value };
        rows.where(operator.condition(column, given));
        return undefined;
      });
    },
  } as never;
}
