import type { Table } from "graphile-migrate-review";

/** The tables of schema app_public, their keys and how they refer to each other, as a Markdown page with a Mermaid diagram. */
export function erDiagram(tables: Table[]): string {
  const shown = tables.filter(({ schema }) => schema === "app_public").sort((a, b) => compare(a.name, b.name));
  const lines = shown.flatMap(relations).sort((a, b) => compare(a.referenced, b.referenced));
  return `# Tables of app_public

\`npm run db:snapshot\` makes this page from the catalogue. The diagram has the keys; [migrations/schema/](../migrations/schema/) has all columns,
with what they are for.

\`\`\`mermaid
erDiagram
${shown.map(entity).join("")}${lines.map(({ line }) => line).join("")}\`\`\`
`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

// Inherited columns repeat another foreign key.
const isShown = ({ name }: { name: string }) => !name.endsWith("_inherited_fkey");

function entity({ name, columns, constraints }: Table): string {
  const lines = columns.flatMap((column) => {
    const kinds = constraints
      .filter((each) => isShown(each) && each.columns.includes(column.name))
      .flatMap(({ type, columns: { length } }) =>
        type === "p" ? "PK" : type === "f" ? "FK" : type === "u" && length === 1 ? "UK" : [],
      );
    const keys = [...new Set(kinds)].sort().reverse().join(", ");
    return keys === "" ? [] : `    ${word(column.type)} ${column.name} ${keys}\n`;
  });
  return `  ${name} {\n${lines.join("")}  }\n`;
}

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
      return [{ referenced, line: `  ${referenced} ${ends} ${name} : "${key.columns.join(", ")}"\n` }];
    });
}

/** Mermaid's types are one word: without a schema, and with an underscore for a space. */
function word(type: string): string {
  return type.replace(/^.*\./, "").replace(/[^\w[\]()-]/g, "_");
}
