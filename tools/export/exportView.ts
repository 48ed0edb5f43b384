import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { fileWriter, parquetWriteRows, type SchemaElement } from "hyparquet-writer";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";

export type Format = "csv" | "parquet";

/** Rows that are in memory at a time. */
const batchRows = 5_000;

/**
 * Writes a view of schema analytics to a file, without holding it in memory.
 *
 * @param client in a transaction
 */
export async function exportView(client: pg.Client, view: string, format: Format, file: string): Promise<void> {
  const relation = `analytics.${pg.escapeIdentifier(view)}`;
  await (format === "csv" ? writeCsv(client, relation, file) : writeParquet(client, relation, file));
}

async function writeCsv(client: pg.Client, relation: string, file: string) {
  const rows = client.query(copyTo(`copy (select * from ${relation}) to stdout with (format csv, header)`));
  await pipeline(rows, createWriteStream(file));
}

async function writeParquet(client: pg.Client, relation: string, file: string) {
  await client.query(`declare exported no scroll cursor for select * from ${relation}`);
  const { fields } = await client.query(`select * from ${relation} limit 0`);
  await parquetWriteRows({
    writer: fileWriter(file),
    rows: fetchRows(client),
    columns: fields.map(({ name }) => ({ name })),
    schema: [
      { name: "root", num_children: fields.length },
      ...fields.flatMap(({ name, dataTypeID }): SchemaElement[] => {
        const { element, children = [] } = typeOf(dataTypeID);
        return [{ name, repetition_type: "OPTIONAL", ...element }, ...children];
      }),
    ],
    rowGroupSize: batchRows,
  });
  await client.query("close exported");
}

async function* fetchRows(client: pg.Client): AsyncGenerator<Record<string, unknown>> {
  const types = { getTypeParser: (oid: number) => typeOf(oid).parse };
  for (;;) {
    const { rows } = await client.query({ text: `fetch ${batchRows} from exported`, types: types as never });
    if (rows.length === 0) return;
    yield* rows;
  }
}

interface ParquetType {
  element: Omit<SchemaElement, "name">;
  /** Of a list. */
  children?: SchemaElement[];
  parse: (text: string) => unknown;
}

const text: ParquetType = { element: { type: "BYTE_ARRAY", converted_type: "UTF8" }, parse: (value) => value };
const { builtins } = pg.types;

/** The types that the views have. Any other type is text, as PostgreSQL writes it. */
const types: Record<number, ParquetType> = {
  [builtins.INT8]: { element: { type: "INT64" }, parse: BigInt },
  [builtins.INT4]: { element: { type: "INT32" }, parse: Number },
  [builtins.NUMERIC]: { element: { type: "DOUBLE" }, parse: Number },
  [builtins.BOOL]: { element: { type: "BOOLEAN" }, parse: (value) => value === "t" },
  [builtins.DATE]: {
    element: { type: "INT32", converted_type: "DATE" },
    parse: (value) => new Date(`${value}T00:00:00Z`),
  },
  [builtins.TIMESTAMPTZ]: {
    element: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      // Otherwise readers take it for a local time.
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
    parse: pg.types.getTypeParser(builtins.TIMESTAMPTZ),
  },
  // text[]
  1009: {
    element: { converted_type: "LIST", num_children: 1 },
    children: [
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "OPTIONAL", ...text.element },
    ],
    parse: (value) => pg.types.getTypeParser(1009 as never)(value),
  },
};

function typeOf(oid: number): ParquetType {
  return types[oid] ?? text;
}
