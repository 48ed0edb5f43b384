import { LIST_TYPES, listOfCodec, TYPES } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";

/**
 * Makes the engine write what PostgreSQL stores, as compiled statements do. Its own codecs write null for an infinite date, drop the era of a
 * date and the zone of a time, take 24:00 for 00:00, fail for dates after 294276, and round the numbers in JSON. Called before a schema is
 * built: domains, arrays and ranges copy the codecs.
 */
export function makeCodecsExact(): void {
  // JSON's text of a date has the era and infinity, whatever DateStyle is.
  writeAs("date", textInJson);
  writeAs("timestamp", time('YYYY-MM-DD"T"HH24:MI:SS.US'));
  writeAs("timestamptz", time('YYYY-MM-DD"T"HH24:MI:SS.USTZH:TZM'));
  // As an interval, 24:00 is not the beginning of a day.
  writeAs("time", timeOfDay);
  writeAs(
    "timetz",
    (value) => sql`(${timeOfDay(sql`${value}::time`)} || rpad(substring(${value}::text from '[+-].*$'), 6, ':00'))`,
  );
  for (const name of ["json", "jsonb"] as const) {
    Object.assign(TYPES[name], { fromPg: parseExactly });
    const { fromPg } = listOfCodec(TYPES[name] as never, { name: `exact ${name}s` });
    for (const list of [LIST_TYPES[name], listOfCodec(TYPES[name] as never)]) Object.assign(list, { fromPg });
  }
}

const timeOfDay = (value: SQL) => sql`to_char(${value}, ${sql.literal("HH24:MI:SS.US")}::text)`;

const textInJson = (value: SQL) => sql`(to_json(${value}) #>> '{}')`;

function time(format: string): (value: SQL) => SQL {
  const withEra = sql.literal(`${format} BC`);
  return (value) => sql`coalesce(replace(to_char(${value}, ${withEra}::text), ' AD', ''), ${textInJson(value)})`;
}

function writeAs(
  name: "date" | "timestamp" | "timestamptz" | "time" | "timetz",
  castFromPg: (value: SQL) => SQL,
): void {
  const codec = TYPES[name];
  const item = sql.identifier(Symbol("item"));
  const listCastFromPg = (list: SQL) =>
    sql`(case when (${list}) is not distinct from null then null::text else array(select ${castFromPg(item)} from unnest(${list}) ${item})::text end)`;
  Object.assign(codec, { castFromPg, listCastFromPg });
  for (const list of [LIST_TYPES[name], listOfCodec(codec as never)]) {
    Object.assign(list, { castFromPg: listCastFromPg });
  }
}

/** A number that JavaScript may write in another way: of many digits, with an exponent, or with zeros at its end. */
const mayChange = /\d[\d.]{14}|\de|\.\d*0(?!\d)|-0/i;

/** Of ECMAScript's proposal "JSON.parse source text access", which Node has from 21 on. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive?: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Parses JSON so that JSON.stringify() writes each number as it was. */
export function parseExactly(text: string): unknown {
  if (!mayChange.test(text)) return parse(text);
  return parse(text, (_key, value, { source }) =>
    typeof value === "number" && String(value) !== source ? rawJSON(source) : value,
  );
}
