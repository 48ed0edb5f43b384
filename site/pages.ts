import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { questions } from "./questions.ts";
import { fitsSchema, graphiqlLink, referencePages } from "./reference.ts";
import { pageOf, sidebars } from "./sitePages.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const languages: Record<string, string> = { yml: "yaml", conf: "nginx", ini: "ini", service: "ini", plan: "text" };

/** The pages of the site by their paths, as VitePress reads them, and the sidebars, as its configuration reads them. */
export function sitePages(): { pages: Map<string, string>; sidebar: object } {
  const pages = new Map<string, string>();
  const waiting = new Set(Object.values(sidebars).flatMap(({ groups }) => Object.values(groups).flat()));
  const leadTo = (target: string) => {
    // The first page of the site is another one.
    if (target !== "README.md") waiting.add(target);
    return `/${pageOf(target)}`;
  };
  pages.set("index.md", moveLinks("site/home.md", withGraphiqlLinks(read("site/home.md")), leadTo));
  pages.set("questions.md", moveLinks("questions.md", questionsPage(), leadTo));
  const reference = referencePages();
  for (const [path, text] of reference) pages.set(`${path}.md`, moveLinks("reference.md", text, leadTo));
  // A set goes on to what is added meanwhile: the files that a page leads to are shown, too.
  for (const file of waiting) pages.set(`${pageOf(file)}.md`, showFile(file, leadTo));
  const items = Object.entries(sidebars).map(([reader, { groups }]) => [
    `/${reader}/`,
    Object.entries(groups).map(([text, files]) => ({
      text,
      items: files.map((file) => ({ text: titleOf(read(file)), link: `/${pageOf(file)}` })),
    })),
  ]);
  const sidebar: Record<string, object[]> = Object.fromEntries(items);
  sidebar["/client/"]?.push({
    text: "Reference",
    items: [...reference].map(([path, text]) => ({ text: titleOf(text), link: `/${path}` })),
  });
  return { pages, sidebar };
}

const titleOf = (page: string) => /^# (.+)$/m.exec(page)?.[1] ?? "";

/** A page for a file: Markdown as it is, a folder as a list, a picture, anything else as code. The search has Markdown only. */
function showFile(file: string, leadTo: (file: string) => string): string {
  if (statSync(join(root, file)).isDirectory()) {
    const entries = readdirSync(join(root, file), { withFileTypes: true }).map((entry) =>
      // Tests are proofs to look up, one by one.
      entry.isFile() && !file.startsWith("test/")
        ? `- [${entry.name}](${leadTo(join(file, entry.name))})\n`
        : `- ${entry.name}/\n`,
    );
    return `---\nsearch: false\n---\n\n# ${file}\n\n${entries.join("")}`;
  }
  if (file.endsWith(".md")) return moveLinks(file, withGraphiqlLinks(read(file)), leadTo);
  const extension = extname(file).slice(1);
  if (extension === "png")
    return moveLinks(file, `---\nsearch: false\n---\n\n# ${file}\n\n![${file}](${basename(file)})\n`, leadTo);
  const fence = "`".repeat(8);
  return `---\nsearch: false\n---\n\n# ${file}\n\n${fence}${languages[extension] ?? extension}\n${read(file)}\n${fence}\n`;
}

function questionsPage(): string {
  const groups = Object.entries(questions).map(
    ([reader, entries]) =>
      `## ${sidebars[reader]?.title}\n\n${entries.map(({ ask, at }) => `- [${ask}](${at})\n`).join("")}`,
  );
  return `---\nsearch: false\n---\n\n# Questions\n\n${groups.join("\n")}`;
}

/** A link below each GraphQL document of the API; a guide may show documents for tables of its own. */
function withGraphiqlLinks(text: string): string {
  return text.replace(/^( *)```graphql\n(.*?)^ *```$/gms, (block, indent: string, document: string) =>
    fitsSchema(document)
      ? `${block}\n\n${indent}${graphiqlLink(document.replaceAll(`\n${indent}`, "\n").trim())}`
      : block,
  );
}

/** The text of a page with links to where the site has their targets. @throws Error for a link that leads nowhere */
function moveLinks(page: string, text: string, leadTo: (file: string) => string): string {
  const move = (prose: string) =>
    prose.replace(/(!?)(\[[^\]]*\])\(([^)\s]+)\)/g, (whole, image: string, label: string, link: string) => {
      if (/^([a-z]+:|[#/])/.test(link)) return whole;
      const [target = "", anchor] = link.split("#");
      const file = normalize(join(dirname(page), target)).replace(/\/$/, "");
      if (!existsSync(join(root, file))) throw new Error(`${page} has a link that leads nowhere: ${link}`);
      if (image) return `!${label}(${relative(dirname(join("site/.pages", pageOf(page))), file)})`;
      return `${label}(${leadTo(file)}${anchor ? `#${anchor}` : ""})`;
    });
  return text
    .split(/^(```.*?^```$)/ms)
    .map((part, place) => (place % 2 === 0 ? move(part) : part))
    .join("");
}

// npm run docs
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = join(root, "site/.pages");
  const { pages, sidebar } = sitePages();
  rmSync(folder, { recursive: true, force: true });
  for (const [name, text] of pages) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, "sidebar.json"), JSON.stringify(sidebar));
}
