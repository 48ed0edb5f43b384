import { fileURLToPath } from "node:url";
import pg from "pg";

/** The first question of docs/analysts.md: posts published and comments, by month, for a year. */
export const chartQuery = `select month, posts_published, comments
  from totals_by_month
 where month >= (select month from today) - interval '11 months'
 order by month limit 12;`;

const width = 720;
const panelHeight = 130;
const panels = [
  { title: "Posts published", colour: "#2f6f9f" },
  { title: "Comments", colour: "#c0703a" },
];

/** Draws the answer to chartQuery as two rows of bars, one bar a month. The same rows always give the same SVG. */
export function drawChart(rows: (string | null)[][]): string {
  const height = 34 + panels.length * (panelHeight + 34);
  const months = rows.map(([month]) => String(month).slice(0, "YYYY-MM".length));
  const bars = panels.map(({ title, colour }, place) => {
    const values = rows.map((row) => Number(row[place + 1]));
    return panel(title, colour, values, months, 20 + place * (panelHeight + 34));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Posts published and comments, by month</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${bars.join("\n")}
</svg>
`;
}

function panel(title: string, colour: string, values: number[], months: string[], top: number): string {
  const step = (width - 40) / Math.max(values.length, 1);
  const bottom = top + panelHeight;
  const scale = (panelHeight - 44) / Math.max(...values, 1);
  const marks = values.map((value, place) => {
    const x = 20 + place * step;
    const barHeight = Math.round(value * scale);
    const middle = (x + step / 2).toFixed(1);
    return `<rect x="${(x + 6).toFixed(1)}" y="${bottom - barHeight}" width="${(step - 12).toFixed(1)}" height="${barHeight}" fill="${colour}"/>
<text x="${middle}" y="${bottom - barHeight - 5}" text-anchor="middle" fill="#222222">${value}</text>
<text x="${middle}" y="${bottom + 16}" text-anchor="middle" fill="#555555">${months[place]}</text>`;
  });
  return `<text x="20" y="${top + 12}" font-weight="bold" fill="#222222">${title}</text>
<line x1="20" y1="${bottom}" x2="${width - 20}" y2="${bottom}" stroke="#999999"/>
${marks.join("\n")}`;
}

// npm run -s chart -- postgres://jane@localhost/content > chart.svg
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const client = new pg.Client({ connectionString: process.argv[2] });
  await client.connect();
  const { rows } = await client.query({
    text: chartQuery,
    rowMode: "array",
    types: { getTypeParser: () => String } as never,
  });
  await client.end();
  console.log(drawChart(rows).trimEnd());
}
