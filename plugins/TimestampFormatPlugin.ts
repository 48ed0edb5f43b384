import { TYPES } from "postgraphile/@dataplan/pg";
import { GraphQLError, type ValueNode } from "postgraphile/graphql";
import { amendSource, type FieldSource } from "./compiled/fieldSource.ts";
import type { Build, Field, FieldContext } from "./support/fields.ts";
import { version } from "./support/version.ts";

/** Every connection has the time zone UTC, so the first ten characters of a timestamp are its UTC date. */
/** In UTC, with the era. */
const formats = { DATE: { codec: TYPES.date, shorten: (text: string) => text.replace(/T[^ ]*/, "") } };

const writtenTimestamp =
  /^(\d{4}-\d\d-\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-](0\d|1[0-4]):[0-5]\d))?$/i;

/** Refuses what PostgreSQL would refuse, so that a bad timestamp fails its argument and not the whole statement. */
function parseTimestamp(given: unknown): string {
  const [, date = ""] = writtenTimestamp.exec(String(given)) ?? [];
  // A date that does not exist, such as 2026-02-30, is either invalid or becomes another one.
  const day = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date) || date.startsWith("0000")) {
    throw new TypeError(
      "A Timestamp is a date, such as 2026-11-21, or a time with its zone, such as 2026-11-21T09:30:00Z.",
    );
  }
  // PostgreSQL rounds to microseconds. It reads 128 characters at most.
  return String(given).replace(/(\.\d{9})\d+/, "$1");
}

/** graphql-js keeps the sentence of a GraphQLError, and puts a general one in the place of any other. */
function timestampOf(literal: ValueNode): string {
  try {
    return parseTimestamp("value" in literal ? literal.value : "");
  } catch (error) {
    throw new GraphQLError((error as Error).message, { nodes: literal });
  }
}

/**
 * A timestamp is written in full. A column with the smart tag `@timestampFormat DATE` is a UTC date, `YYYY-MM-DD`, and `createdAt(format: DATE_TIME)` gives the full timestamp.
 */
export const TimestampFormatPlugin: GraphileConfig.Plugin = {
  name: "TimestampFormatPlugin",
  version,
  description: "Adds the scalar Timestamp, and the smart tag @timestampFormat.",
  schema: {
    hooks: {
      init: {
        before: ["PgCodecs"],
        callback(init, build) {
          build.registerScalarType(
            "Timestamp",
            {},
            () => ({
              description:
                "RFC 3339 with microseconds and zone, or a UTC date, YYYY-MM-DD. An argument with more digits is rounded. Before our era, BC follows. Without an end: infinity, -infinity.",
              // Its full-date and date-time.
              specifiedByURL: "https://www.rfc-editor.org/rfc/rfc3339#section-5.6",
              serialize: String,
              parseValue: parseTimestamp,
              parseLiteral: timestampOf,
            }),
            "TimestampFormatPlugin",
          );
          build.registerEnumType(
            "TimestampFormat",
            {},
            () => ({
              description: "The formats of a timestamp.",
              values: {
                DATE: { value: "DATE", description: "The UTC date: 2026-11-21." },
                DATE_TIME: {
                  value: "DATE_TIME",
                  description: "RFC 3339 with microseconds and zone: 2026-11-21T09:30:00.123456+00:00.",
                },
              },
            }),
            "TimestampFormatPlugin",
          );
          build.setGraphQLTypeForPgCodec(TYPES.timestamptz, ["input", "output"], "Timestamp");
          return init;
        },
      },
      GraphQLObjectType_fields_field: { after: ["FieldSourcesPlugin"], callback: addFormat },
    },
  },
};

function addFormat(field: Field, build: Build, { scope }: FieldContext): Field {
  const format = scope.pgFieldAttribute?.extensions?.tags?.["timestampFormat"];
  if (format === undefined) return field;
  if (format !== "DATE") throw new Error(`@timestampFormat ${format} of ${scope.fieldName}: the format is DATE`);
  const addTo = (source: FieldSource) =>
    source.kind === "value" ? { ...source, format: { argument: "format", byDefault: format, formats } } : source;
  const formatted = amendSource(field, addTo, ["format"]);
  formatted.args = {
    ...field.args,
    format: {
      type: build.getInputTypeByName("TimestampFormat"),
      defaultValue: "DATE",
      description: "A date, or the full timestamp.",
    },
  };
  return formatted;
}
