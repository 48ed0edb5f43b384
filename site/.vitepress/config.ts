import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { anchorOf, pageOf, sidebars } from "../sitePages.ts";

const pages = new URL("../.pages/", import.meta.url);

/** `node site/pages.ts` writes the pages. A dead link ends the build. */
export default defineConfig({
  title: "content-service",
  description: "A GraphQL service for a publication, ruled by PostgreSQL",
  srcDir: ".pages",
  outDir: "dist",
  ignoreDeadLinks: "localhostLinks",
  themeConfig: {
    search: { provider: "local" },
    nav: Object.entries(sidebars).map(([reader, { title, groups }]) => ({
      text: title,
      activeMatch: `^/${reader}/`,
      link: `/${pageOf(Object.values(groups)[0]?.[0] ?? "")}`,
    })),
    sidebar: JSON.parse(readFileSync(new URL("sidebar.json", pages), "utf8")),
    outline: [2, 3],
  },
  markdown: {
    html: false,
    // VitePress's own light theme is too pale for its background.
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    anchor: { slugify: anchorOf },
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
    },
  },
});
