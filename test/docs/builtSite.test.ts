import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { questions, searchFields } from "../../site/questions.ts";
import { pageOf } from "../../site/sitePages.ts";
import { hasBrowser, openBrowser } from "../browser/support/openBrowser.ts";
import { hasSite } from "../support/machine.ts";

/* The site as `npm run docs` builds it: what its search finds, and how it looks in a browser. */
const site = new URL("../../site/", import.meta.url);
const dist = new URL("dist/", site);
const origin = "http://docs.example";
const axe = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const picture = fileURLToPath(new URL("../../docs/pictures/site.png", import.meta.url));
const themes = ["light", "dark"] as const;
const tenPages = [
  ...["index", "questions", "client/clients", "client/errors", "client/libraries", "client/reference/posts"],
  ...["database/architecture", "database/er", "operate/operators", "analyse/analysts"],
];

// VitePress is no dependency of the service: without `npm ci --prefix site`, these are skipped, and the run says so.
(hasSite ? describe : describe.skip)("the built site", () => {
  beforeAll(async () => {
    await run("pages.ts");
    await run("node_modules/vitepress/bin/vitepress.js", "build");
  });

  describe("its search", () => {
    let find: (words: string) => string[];

    beforeAll(async () => {
      const [chunk = ""] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: fileURLToPath(dist) });
      const { default: index } = await import(new URL(chunk, dist).href);
      const { default: MiniSearch } = await import(
        pathToFileURL(fileURLToPath(new URL("node_modules/minisearch/dist/es/index.js", site))).href
      );
      // The other options are those of VitePress's search box.
      const search = MiniSearch.loadJSON(index, {
        fields: searchFields.fields,
        storeFields: ["title", "titles"],
        searchOptions: { fuzzy: 0.2, prefix: true, boost: searchFields.boost },
      });
      find = (words) => search.search(words).map(({ id }: { id: string }) => id);
    });

    test.each(Object.values(questions).flat())("answers “$ask”", ({ ask, at, words }) => {
      const [file = "", anchor] = at.split("#");
      const section = `/${pageOf(file)}.html#${anchor}`;
      expect([ask, ...words].filter((one) => !find(one).slice(0, 2).includes(section))).toEqual([]);
    });
  });

  (hasBrowser ? describe : describe.skip)("in a browser", () => {
    let browser: Browser;
    /** The bytes that the page has loaded, compressed, and what it wanted from elsewhere. */
    let loaded: { bytes: number; elsewhere: string[] };

    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    async function open(path: string, width: number, theme: (typeof themes)[number]): Promise<Page> {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: theme });
      loaded = { bytes: 0, elsewhere: [] };
      await page.route("**", async (route) => {
        const { pathname, origin: asked, href } = new URL(route.request().url());
        if (asked !== origin) {
          loaded.elsewhere.push(href);
          return route.abort();
        }
        const file = new URL(`.${pathname}`, dist);
        loaded.bytes += gzipSync(readFileSync(file)).length;
        return route.fulfill({ path: fileURLToPath(file) });
      });
      await page.goto(`${origin}/${path}.html`, { waitUntil: "networkidle" });
      for (const diagram of await page.locator(".diagram").all()) await diagram.locator("svg").waitFor();
      return page;
    }

    test.each(tenPages)("/%s has no finding of accessibility, and loads nothing from elsewhere", async (path) => {
      for (const theme of themes) {
        const page = await open(path, 1280, theme);
        await page.evaluate(axe);
        const { violations } = (await page.evaluate("axe.run()")) as {
          violations: { id: string; nodes: { html: string }[] }[];
        };
        expect({ theme, violations: violations.map(({ id, nodes }) => [id, nodes[0]?.html]) }).toEqual({
          theme,
          violations: [],
        });
        expect(loaded.elsewhere).toEqual([]);
        await page.close();
      }
    });

    test.each([1280, 360])("diagrams are whole, with text of 12 px at least, on a screen of %d px", async (width) => {
      for (const path of ["database/architecture", "database/er"]) {
        const page = await open(path, width, "light");
        const diagrams = (await page.evaluate(`[...document.querySelectorAll(".diagram")].map((one) => {
          const svg = one.querySelector("svg");
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return { isWhole: one.scrollWidth <= one.clientWidth, px: scale * 14 };
        })`)) as { isWhole: boolean; px: number }[];
        expect(diagrams.filter(({ isWhole, px }) => !isWhole || px < 11.9)).toEqual([]);
        expect(diagrams.length).toBeGreaterThan(0);
        await page.close();
      }
    });

    test.each([...tenPages, "client/chat", "operate/monitoring"])(
      "the tables of /%s fit on a wide screen",
      async (path) => {
        const page = await open(path, 1280, "light");
        const wide = await page.evaluate(`[...document.querySelectorAll(".vp-doc table")]
        .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.querySelector("thead").textContent)`);
        expect(wide).toEqual([]);
        await page.close();
      },
    );

    test("tables fold on a phone", async () => {
      for (const path of ["client/errors", "operate/settings", "database/migrations"]) {
        const page = await open(path, 360, "light");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
        const widths = await page.locator(".vp-doc table").evaluateAll((all) => all.map((one) => one.scrollWidth));
        expect(Math.max(...widths)).toBeLessThanOrEqual(312);
        await page.close();
      }
    });

    test("the first page has three doors, and loads less than 300 KB", async () => {
      const page = await open("index", 1280, "light");
      expect(loaded.bytes).toBeLessThan(300_000);
      const doors = page.locator(".VPFeature");
      expect(await doors.locator(".title").allTextContents()).toEqual([
        ...["Build a client", "Change the database", "Run it"],
      ]);
      for (const door of await doors.all()) {
        const target = await door.getAttribute("href");
        expect(await page.locator(`${target}`).count()).toBe(1);
      }
      // For README.md: WRITE_SNAPSHOTS=1 npm run jest -- test/docs/builtSite
      if (process.env.WRITE_SNAPSHOTS === "1") await page.screenshot({ path: picture });
      await page.close();
    });
  });
});

async function run(program: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { cwd: fileURLToPath(site) });
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (status !== 0) throw new Error(output + errors);
}
