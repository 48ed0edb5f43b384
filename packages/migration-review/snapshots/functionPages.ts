import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { firstSentence } from "./schemaPages.ts";

const comments = /^comment on (?:function|view) (?<name>\S+?)(?:\(.*?\))? is \$\$(?<comment>.*?)\$\$;/gms;

/**
 * The pages `migrations/schema/functions/<subject>.md`: the functions of a subject, each with the first sentence of its comment.
 *
 * @param migrations the folder `migrations/`
 * @returns the pages by their paths in `migrations/schema/`
 */
export async function functionPages(migrations: string): Promise<Map<string, string>> {
  const folder = join(migrations, "fixtures/functions");
  const subjects = (await readdir(folder)).sort();
  return new Map(
    await Promise.all(
      subjects.map(async (subject) => [`functions/${subject}.md`, await page(folder, subject)] as const),
    ),
  );
}

async function page(folder: string, subject: string): Promise<string> {
  const files = (await readdir(join(folder, subject))).sort();
  const rows = await Promise.all(files.map((file) => rowsOf(folder, subject, file)));
  return (
    `# Functions of ${subject}\n\n\`npm run db:snapshot\` makes this page from \`migrations/fixtures/functions/${subject}/\`.\n\n` +
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
