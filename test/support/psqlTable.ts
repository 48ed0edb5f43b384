import type { FieldDef } from "pg";

/** The types that psql aligns to the right: int8, int2, int4, float4, float8, numeric. */
const numbers = [20, 21, 23, 700, 701, 1700];

/** Formats a result as psql does. */
export function psqlTable({ columns, rows }: { columns: FieldDef[]; rows: (string | null)[][] }): string {
  const widths = columns.map(({ name }, place) =>
    Math.max(...[name, ...rows.map((row) => row[place] ?? "")].map(widthOf)),
  );
  const line = (cells: string[]) => ` ${cells.join(" | ")}`.trimEnd();
  const head = columns.map(({ name }, place) => centred(name, widths[place] ?? 0));
  const body = rows.map((row) =>
    row.map((value, place) => {
      const space = " ".repeat((widths[place] ?? 0) - widthOf(value ?? ""));
      return numbers.includes(columns[place]?.dataTypeID ?? 0) ? space + (value ?? "") : (value ?? "") + space;
    }),
  );
  const rule = widths.map((width) => "-".repeat(width + 2)).join("+");
  return [line(head), rule, ...body.map(line), `(${rows.length} row${rows.length === 1 ? "" : "s"})`].join("\n");
}

function widthOf(text: string): number {
  return [...text].length;
}

function centred(text: string, width: number): string {
  const space = width - widthOf(text);
  return " ".repeat(Math.floor(space / 2)) + text + " ".repeat(Math.ceil(space / 2));
}
