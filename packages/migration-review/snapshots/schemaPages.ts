import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandLine } from "../migrations/settings.ts";
import type { Table } from "./tables.ts";

/**
 * The pages of `migrations/schema/`, by their paths there: one for each table.
 *
 * @param mainSchema its pages lie in no folder
 */
export function schemaPages(tables: Table[], mainSchema: string, commandLine: CommandLine): Map<string, string> {
  return new Map(
    tables.map((table) => {
      const folder = table.schema === mainSchema ? "" : `${table.schema}/`;
      return [`${folder}${table.name}.sql`, tablePage(table, commandLine)];
    }),
  );
}

function tablePage(table: Table, commandLine: CommandLine): string {
  const { schema, name } = table;
  const width = Math.max(...table.columns.map((column) => column.name.length));
  const lines = [
    ...table.columns.map((column) => ({
      ...column,
      text: `${column.name.padEnd(width)} ${lowerCase(column.type + column.rest)}`,
    })),
    ...table.constraints.map((each) => ({ ...each, text: `constraint ${each.name} ${lowerCase(each.definition)}` })),
  ];
  const body = lines.map(({ text, comment }, index) => {
    const words = comment && [...tagsOf(comment).map((tag) => `[${tag}]`), firstSentence(comment)].join(" ").trim();
    return `  ${text}${index < lines.length - 1 ? "," : ""}${words ? ` -- ${words}` : ""}\n`;
  });
  const sections: [string, string[]][] = [
    ["Indexes", table.indexes.map(described)],
    ["Triggers, before and after, in the order in which they run", table.triggers.map(described)],
    ["Row-level security", [rowSecurity(table), ...table.policies.map(lowerCase)]],
    ["Rights, beside the owner's", table.rights],
    ["Referenced by", table.referenced.map((reference) => `-- ${reference}`)],
  ];
  return [
    `-- Made by ${commandLine("snapshot")} from the catalogue. A change is a migration.\n`,
    ...(table.comment ? [firstSentence(table.comment), ...tagsOf(table.comment)].map((line) => `-- ${line}\n`) : []),
    `create table ${schema}.${name} (\n${body.join("")})${table.partitioned ? ` partition by ${lowerCase(table.partitioned)}` : ""};\n`,
    ...sections
      .filter(([, entries]) => entries.length > 0)
      .map(([title, entries]) => `\n-- ${title}\n${entries.map((entry) => `${entry}\n`).join("")}`),
  ].join("");
}

function rowSecurity({ schema, name, hasRowSecurity }: Table): string {
  return hasRowSecurity
    ? `alter table ${schema}.${name} enable row level security;`
    : "-- It is off: rights alone decide.";
}

function described({ definition, comment }: { definition: string; comment: string | null }): string {
  return `${comment ? `-- ${firstSentence(comment)}\n` : ""}${lowerCase(definition)};`;
}

/** The smart tags of a comment: its leading lines that begin with @. */
function tagsOf(comment: string): string[] {
  return /^(@[^\n]*(\n|$))*/.exec(comment)?.[0].split("\n").filter(Boolean) ?? [];
}

/** The first sentence of a comment, without the smart tags that lead it. */
export function firstSentence(comment: string): string {
  const text = comment.replace(/^(@[^\n]*(\n|$))+/, "").replace(/\s+/g, " ");
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

/** PostgreSQL writes keywords in capitals. Nothing else has any outside of quotes. */
function lowerCase(sql: string): string {
  return sql.replace(/'[^']*'|"[^"]*"|[A-Z]+/g, (part) => (/^['"]/.test(part) ? part : part.toLowerCase()));
}

const comments = /^comment on (?:function|view) (?<name>\S+?)(?:\(.*?\))? is \$\$(?<comment>.*?)\$\$;/gms;

/**
 * The pages `migrations/schema/functions/<subject>.md`: the functions of a subject, each with the first sentence of its comment.
 *
 * @param migrations the folder `migrations/`
 * @returns the pages by their paths in `migrations/schema/`
 */
export async function functionPages(migrations: string, commandLine: CommandLine): Promise<Map<string, string>> {
  const folder = join(migrations, "fixtures/functions");
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const subjects = found.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
  return new Map(
    await Promise.all(
      subjects.map(
        async (subject) => [`functions/${subject}.md`, await subjectPage(folder, subject, commandLine)] as const,
      ),
    ),
  );
}

async function subjectPage(folder: string, subject: string, commandLine: CommandLine): Promise<string> {
  const files = (await readdir(join(folder, subject))).sort();
  const rows = await Promise.all(files.map((file) => rowsOf(folder, subject, file)));
  return (
    `# Functions of ${subject}\n\n\`${commandLine("snapshot")}\` makes this page from \`migrations/fixtures/functions/${subject}/\`.\n\n` +
    `| function | what it does |\n| --- | --- |\n${rows.flat().join("")}`
  );
}

async function rowsOf(folder: string, subject: string, file: string): Promise<string[]> {
  const text = await readFile(join(folder, subject, file), "utf8");
  return Array.from(text.matchAll(comments), ({ groups: { name, comment } = {} }) => {
    const words = firstSentence(comment ?? "").replaceAll("|", "\\|");
    return `| [${name}](../../fixtures/functions/${subject}/${file}) | ${words} |\n`;
  });
}
