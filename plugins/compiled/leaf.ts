import {
  type GraphQLEnumType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from "graphql";
import { isEnumCodec, type PgCodec, type PgEnumCodec, TYPES } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GivenArguments, RowAlias, ValueSource } from "./fieldSource.ts";
import { NotCompiled } from "./NotCompiled.ts";

/** Scalars that are the text of the value, as the engine reads it. */
const textScalars = new Set(["ID", "String", "Timestamp", "UUID", "BigInt", "BigFloat", "Date", "Time", "Datetime"]);
const oidsOfNumbers = new Set(["21", "23"]);
const oidsOfJson = new Set(["114", "3802"]);

/** Raises an error, so that the engine executes the operation: GraphQL promises a value, and SQL has none. */
export const fallBackToEngine = sql`current_setting('compiled.null_in_place_of_a_value')`;

/**
 * Raises an error that reloads the schema: the database holds a value that the served schema excludes. The SQLSTATE is that of a text
 * which is no number (22P02). Not a constant, which PostgreSQL would compute for each statement.
 */
function reloadSchemaError(type: SQL): SQL {
  return sql`concat('outdated schema')::int4::text::${type}`;
}

/**
 * The value of a type that JSON writes in a form of its own. These functions return their argument. PostgreSQL resolves them by the
 * column's current type; if a migration has made it text or wider, that fails and the schema is reloaded.
 */
const checkServedType: Record<string, (value: SQL) => SQL> = {
  Int: (value) => sql`int4up(${value})`,
  Float: (value) => sql`float8up(${value})`,
  Boolean: (value) => sql`not (not ${value})`,
};

/** The SQL of a scalar or an enum's value. PostgreSQL writes it as JSON as the engine would. */
export function leaf(source: ValueSource, type: GraphQLOutputType, row: RowAlias, args: GivenArguments): SQL {
  const { codec } = source;
  const value = source.sql(row, args);
  const { json, isTotal } = jsonOf(source, getNullableType(type), value, args);
  if (!isNonNullType(type)) return json;
  // What stands for a missing value has the value's own type: PostgreSQL types a statement before it runs.
  const sqlType = json === value || !isText(codec) || isEnumCodec(codec) ? codec.sqlType : TYPES.text.sqlType;
  return source.isNotNull && isTotal
    ? sql`coalesce(${json}, ${reloadSchemaError(sqlType)})`
    : notNullOrFallBack(json, sqlType);
}

/** A value that GraphQL promises. */
export function notNullOrFallBack(value: SQL, type: SQL): SQL {
  return sql`coalesce(${value}, ${fallBackToEngine}::${type})`;
}

/** @returns isTotal: whether a value that is not null stays so */
function jsonOf(
  { codec, format }: ValueSource,
  type: GraphQLOutputType,
  value: SQL,
  args: GivenArguments,
): { json: SQL; isTotal: boolean } {
  const oid = String(codec.extensions?.oid ?? "");
  if (isEnumType(type) && isEnumCodec(codec)) {
    return {
      json: sql`case when ${value} <> all (${servedValues(type, codec)}) then ${reloadSchemaError(codec.sqlType)} else ${value} end`,
      isTotal: true,
    };
  } else if (isScalarType(type)) {
    const checked = checkServedType[type.name]?.(value) ?? value;
    if (type.name === "Int" && oidsOfNumbers.has(oid)) return { json: checked, isTotal: true };
    if (type.name === "Boolean" && codec === TYPES.boolean) return { json: checked, isTotal: true };
    if (type.name === "Float" && codec === TYPES.float) return { json: plainNumber(checked), isTotal: true };
    if (type.name === "JSON" && oidsOfJson.has(oid)) {
      // JSON's own null is GraphQL's.
      return { json: sql`case when json_typeof(${value}::json) <> 'null' then ${value} end`, isTotal: false };
    }
    if (textScalars.has(type.name) && isText(codec)) {
      const text = textOf(codec, value);
      const isTotal = text === value || codec.castFromPg === undefined;
      const other = format?.formats[String(args.value(format.argument) ?? format.byDefault)]?.codec;
      return { json: other ? textOf(other, sql`${value}::${other.sqlType}`) : text, isTotal };
    }
  }
  const item = isListType(type) ? getNullableType(type.ofType) : undefined;
  const { arrayOfCodec } = codec;
  const served = isEnumType(item) && arrayOfCodec && isEnumCodec(arrayOfCodec) && servedValues(item, arrayOfCodec);
  if (isListType(type) && (served || (arrayOfCodec === TYPES.text && isString(item)))) {
    // GraphQL's list has one dimension.
    const refused = sql`when array_ndims(${value}) > 1 then ${fallBackToEngine}::${codec.sqlType}`;
    const hasNull = isNonNullType(type.ofType)
      ? sql` when array_position(${value}, null) is not null then ${fallBackToEngine}::${codec.sqlType}`
      : sql.blank;
    const unknown = served
      ? sql` when not array_remove(${value}, null) <@ ${served} then ${reloadSchemaError(codec.sqlType)}`
      : sql.blank;
    const list = sql`case ${refused}${hasNull}${unknown} else ${value} end`;
    return { json: list, isTotal: true };
  }
  throw new NotCompiled();
}

/** A float. PostgreSQL and JavaScript do not write alike what has an exponent, and JSON has no infinity: the engine writes those. */
function plainNumber(value: SQL): SQL {
  const text = sql`(${value})::text`;
  return sql`case when ${text} ~ '^-?[0-9.]+$' and ${text} <> '-0' or (${value}) is null then ${value} else ${fallBackToEngine}::float8 end`;
}

/** The values of an enum, as an array, which are the names in the schema that is served. */
function servedValues(type: GraphQLEnumType, codec: PgEnumCodec<string, string>): SQL {
  const names = new Map(type.getValues().map((each) => [each.name, each.value]));
  if (!codec.values.every((each) => names.get(each.value) === each.value)) throw new NotCompiled();
  const values = sql.join(
    codec.values.map((each) => sql.literal(each.value)),
    ", ",
  );
  return sql`array[${values}]::${codec.sqlType}[]`;
}

function isString(type: GraphQLOutputType | undefined): boolean {
  return isScalarType(type) && type.name === "String";
}

/** Whether the engine uses the value's text as it is. */
function isText(codec: PgCodec): boolean {
  return codec.fromPg === TYPES.text.fromPg && !codec.attributes && !codec.arrayOfCodec && !codec.rangeOfCodec;
}

function textOf(codec: PgCodec, value: SQL): SQL {
  return codec.castFromPg ? codec.castFromPg(value) : sql`${sql.parens(value)}::text`;
}

/** A value in the JSON of a cursor, as text. */
export function cursorValue(codec: PgCodec, value: SQL): SQL {
  if (oidsOfNumbers.has(String(codec.extensions?.oid))) return sql`${value}::text`;
  if (codec === TYPES.float) return sql`${plainNumber(value)}::text`;
  if (!isText(codec)) throw new NotCompiled();
  return sql`to_json(${textOf(codec, value)})::text`;
}
