/** The body of the table below a heading of a Markdown page: rows of cells, without the marks of code. */
export function markdownTable(page: string, heading: string): string[][] {
  const section = page.split(/^(?=#)/m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return tableRows(section).slice(2);
}

/** Every line of `text` that is a row of a Markdown table. */
export function tableRows(text: string): string[][] {
  const rows = text.match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(toText),
  );
}

function toText(cell: string): string {
  return cell
    .trim()
    .replace(/^`(.*)`$/, "$1")
    .replaceAll("\\|", "|");
}
