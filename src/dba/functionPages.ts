import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { firstSentence } from "./schemaPages.ts";

const comments = /^comment on (function|view) (\S+?)(\(.*?\))? is \$\$(.*?)\$\$;/gms;

/**
 * The pages `migrations/schema/functions/<subject>.md`: the functions of a subject, each with the first sentence of its comment.
 *
 * @param migrations the folder `migrations/`
 * @returns the pages by their paths in `migrations/schema/`
 */
export async function functionPages(migrations: string): Promise<Map<string, string>> {
  const folder = join(migrations, "fixtures/functions");
  const entries = await readdir(folder, { withFileTypes: true });
  const subjects = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const pages = await Promise.all(
    subjects.sort().map(async (subject): Promise<[string, string]> => {
      const files = (await readdir(join(folder, subject))).filter((file) => file.endsWith(".sql")).sort();
      const rows = await Promise.all(files.map((file) => rowsOf(folder, subject, file)));
      return [`functions/${subject}.md`, `${headOf(subject)}${rows.flat().join("")}`];
    }),
  );
  return new Map(pages);
}

function headOf(subject: string): string {
  return (
    `# Functions of ${subject}\n\n\`npm run db:snapshot\` makes this page from \`migrations/fixtures/functions/${subject}/\`.\n\n` +
    "| function | what it does |\n| --- | --- |\n"
  );
}

async function rowsOf(folder: string, subject: string, file: string): Promise<string[]> {
  const text = await readFile(join(folder, subject, file), "utf8");
  return [...text.matchAll(comments)].map(([, , name = "", , comment = ""]) => {
    const words = firstSentence(comment).replaceAll("|", "\\|");
    return `| [${name}](../../fixtures/functions/${subject}/${file}) | ${words} |\n`;
  });
}
