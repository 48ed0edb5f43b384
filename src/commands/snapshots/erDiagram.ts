import type { Table } from "graphile-migrate-review";

/**
 * The foreign keys of schema app_public, as a Markdown page: for each table a Mermaid diagram of the tables that refer to it, since one
 * diagram of all would not be legible on a screen.
 */
export function erDiagram(tables: Table[]): string {
  const shown = tables.filter(({ schema }) => schema === "app_public").sort((a, b) => compare(a.name, b.name));
  const lines = Map.groupBy(shown.flatMap(relations), ({ referenced }) => referenced);
  const sections = [...lines].sort(([a], [b]) => compare(a, b)).map(([name, all]) => section(name, all));
  return `# Tables of app_public

\`npm run db:snapshot\` makes this page from the catalogue: what refers to a table, by which columns.
[migrations/schema/](../migrations/schema/) has each table with its columns.
${sections.join("")}`;
}

/** More of them in one diagram are wider than a phone. */
const relationsOfDiagram = 5;

function section(name: string, relations: { line: string }[]): string {
  const lines = relations.map(({ line }) => line);
  const diagrams = Array.from({ length: Math.ceil(lines.length / relationsOfDiagram) }, (_, place) => {
    const shown = lines.slice(place * relationsOfDiagram, (place + 1) * relationsOfDiagram);
    return `\n\`\`\`mermaid\nerDiagram\n  direction LR\n${shown.join("")}\`\`\`\n`;
  });
  return `\n## ${name}\n${diagrams.join("")}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// Inherited columns repeat another foreign key.
const isShown = ({ name }: { name: string }) => !name.endsWith("_inherited_fkey");

function relations({ name, columns, constraints }: Table): { referenced: string; line: string }[] {
  return constraints
    .filter((each) => isShown(each) && each.type === "f")
    .flatMap((key) => {
      const { references: referenced } = key;
      if (referenced === null) return [];
      const isRequired = columns.every((column) => column.notNull || !key.columns.includes(column.name));
      // One to one when its columns are a key of their own table too.
      const isUnique = constraints.some(
        (own) => /[pu]/.test(own.type) && own.columns.every((column) => key.columns.includes(column)),
      );
      const ends = `${isRequired ? "||" : "|o"}--${isUnique ? "o|" : "o{"}`;
      return [{ referenced, line: `  ${referenced} ${ends} ${name} : "${key.columns.join(",<br>")}"\n` }];
    });
}
