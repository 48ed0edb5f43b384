import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { questions, searchFields } from "../questions.ts";
import { anchorOf, pageOf, sidebars } from "../sitePages.ts";

const pages = new URL("../.pages/", import.meta.url);

/** What people type into the search for a section, by the section's id in the index. */
const aliases: Record<string, string> = {};
for (const { ask, at, words } of Object.values(questions).flat()) {
  const [file = "", anchor] = at.split("#");
  const id = `/${pageOf(file)}.html#${anchor}`;
  aliases[id] = [aliases[id], ask, ...words].join(" ");
}

/** `node site/pages.ts` writes the pages. A dead link ends the build. */
export default defineConfig({
  title: "content-service",
  description: "A GraphQL service for a publication, ruled by PostgreSQL",
  lang: "en",
  srcDir: ".pages",
  outDir: "dist",
  ignoreDeadLinks: "localhostLinks",
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // Pages of code are neither searched nor highlighted once more.
        _render: (text, env, markdown) => (text.startsWith("---\nsearch: false") ? "" : markdown.render(text, env)),
        miniSearch: {
          options: {
            // VitePress passes it on, but its types do not have it.
            ...{ fields: searchFields.fields },
            extractField: (section, field) => (field === "aliases" ? aliases[section.id] : section[field]),
          },
          searchOptions: { boost: searchFields.boost },
        },
      },
    },
    nav: [
      ...Object.entries(sidebars).map(([reader, { title, groups }]) => ({
        text: title,
        activeMatch: `^/${reader}/`,
        link: `/${pageOf(Object.values(groups)[0]?.[0] ?? "")}`,
      })),
      { text: "Questions", link: "/questions" },
    ],
    sidebar: JSON.parse(readFileSync(new URL("sidebar.json", pages), "utf8")),
    outline: [2, 3],
  },
  markdown: {
    html: false,
    // Comments of VitePress's own themes are too pale.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: anchorOf },
    languageAlias: { vcl: "c" },
    config(markdown) {
      const { rules } = markdown.renderer;
      const { fence, code_inline: code } = rules;
      // Vue would run it.
      rules.code_inline = (...tokens) => (code?.(...tokens) ?? "").replaceAll("{{", "&#123;&#123;");
      rules.fence = (tokens, place, ...rest) => {
        const { info, content } = tokens[place] as { info: string; content: string };
        if (info === "mermaid") return `<Mermaid code="${encodeURIComponent(content)}" />`;
        return fence?.(tokens, place, ...rest) ?? "";
      };
      // On a phone a row is a block, and each cell names its column.
      markdown.core.ruler.push("columns", ({ tokens }) => {
        let columns: string[] = [];
        let column = 0;
        for (const [place, token] of tokens.entries()) {
          if (token.type === "table_open") columns = [];
          if (token.type === "tr_open") column = 0;
          if (token.type === "th_open") columns.push(tokens[place + 1]?.content.replaceAll("`", "") ?? "");
          if (token.type === "td_open") token.attrSet("data-column", columns[column++] ?? "");
        }
      });
    },
  },
});
