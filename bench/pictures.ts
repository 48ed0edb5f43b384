import { writeFileSync } from "node:fs";

/* The pictures of bench/README.md, drawn from the tables of RESULTS.md. The same tables always give the same SVG. */

const width = 760;
const grey = "#555555";

/** Who is drawn, and in which colour. */
const servers: ReadonlyMap<string, string> = new Map([
  ["limit", "#999999"],
  ["service, anonymous", "#2f6f9f"],
  ["service, signed in", "#6fa3c7"],
  ["Mercurius, policies, signed in", "#c0703a"],
  ["PostGraphile, policies, signed in", "#c0703a"],
  ["Apollo Server, policies, signed in", "#c0703a"],
  ["Mercurius, unprotected", "#e0b995"],
  ["PostGraphile, unprotected", "#e0b995"],
  ["Apollo Server, unprotected", "#e0b995"],
]);

/** Draws the pictures of those sections that are there, and writes them beside this file. */
export function writePictures(sections: ReadonlyMap<string, string>): void {
  for (const [name, svg] of drawPictures(sections)) writeFileSync(new URL(name, import.meta.url), svg);
}

/** @returns SVG by the name of its file */
export function drawPictures(sections: ReadonlyMap<string, string>): Map<string, string> {
  const compared = ["feed", "page", "post"].filter((name) => sections.has(name));
  const scale = sections.get("scale");
  return new Map([
    ...(compared.length > 0
      ? [["shares.svg", drawShares(compared.map((name) => [name, sections.get(name) ?? ""]))] as const]
      : []),
    ...(scale === undefined ? [] : [["growth.svg", drawGrowth(scale)] as const]),
  ]);
}

function drawShares(cases: readonly (readonly [name: string, table: string])[]): string {
  let height = 40;
  const groups = cases.map(([name, text]) => {
    const top = height + 4;
    const rows = rowsOf(text).filter(([connections, server = ""]) => connections === "8" && servers.has(server));
    height += rows.length * 18 + 34;
    const bars = rows.map(([, server = "", , , share = ""], line) => {
      const [y, length] = [top + 12 + line * 18, Number(share) * 440];
      return `${label(214, y + 12, server, "end")}
<rect x="222" y="${y}" width="${length.toFixed(0)}" height="14" fill="${servers.get(server)}"/>
${label(228 + length, y + 12, share)}`;
    });
    return `${label(20, top + 4, name, "start", "bold")}\n${bars.join("\n")}`;
  });
  return picture("Requests a second at 8 connections, as a share of the limit", height, groups);
}

/** The aim: at a larger size, an operation reads at most so many times as much. */
export const maxGrowth = 1.5;

/** One thin bar for each operation, the largest first; those above the aim are named. */
function drawGrowth(text: string): string {
  const rows = rowsOf(text)
    .map((cells) => ({ name: cells[0] ?? "", growth: Number(cells.at(-1)?.replaceAll("*", "")) }))
    .toSorted((one, other) => other.growth - one.growth);
  const [bottom, unit, step] = [240, 80, (width - 60) / rows.length];
  const bars = rows.map(({ growth }, place) => {
    const tall = Math.min(growth, 2.4) * unit;
    const colour = growth > maxGrowth ? "#c0703a" : "#2f6f9f";
    return `<rect x="${(40 + place * step).toFixed(1)}" y="${(bottom - tall).toFixed(0)}" width="${(step * 0.7).toFixed(1)}" height="${tall.toFixed(0)}" fill="${colour}"/>`;
  });
  const lines = [1, maxGrowth].map(
    (value) =>
      `<line x1="40" y1="${bottom - value * unit}" x2="${width - 20}" y2="${bottom - value * unit}" stroke="#999999" stroke-dasharray="4 3"/>
${label(34, bottom - value * unit + 4, String(value), "end")}`,
  );
  const above = rows.filter(({ growth }) => growth > maxGrowth);
  const names = above.map(({ name, growth }, line) => label(40, bottom + 22 + line * 18, `${growth}: ${name}`));
  const title = `Pages that an operation reads, as a multiple of those at 10,000 posts (${rows.length} operations)`;
  return picture(title, bottom + 20 + above.length * 18, [...bars, ...lines, ...names]);
}

function picture(title: string, height: number, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${label(20, 18, title, "start", "bold")}
${content.join("\n")}
</svg>
`;
}

function label(x: number, y: number, text: string, anchor = "start", weight = "normal"): string {
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}" text-anchor="${anchor}" font-weight="${weight}" fill="${grey}">${text}</text>`;
}

/** The cells of the rows of a section's table. */
function rowsOf(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
