import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Browser, chromium, type Page } from "playwright-core";
import { useService } from "../support/service.ts";

/* The page that developers meet, in a browser that reaches nothing but this service. */
const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path !== undefined && existsSync(path));
// Without a browser there is nothing to look with: apt-get install chromium, or CHROMIUM=/path/to/it.
const testInBrowser = executablePath ? test : test.skip;

const service = useService();
let browser: Browser | undefined;
/** What the page asked for elsewhere than here. */
const strays: string[] = [];
const faults: string[] = [];

beforeAll(async () => {
  await service.database.query(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Seen in a browser', 'Text.', 'PUBLISHED')",
  );
  if (executablePath) browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
afterAll(() => browser?.close());

async function openPage(): Promise<Page> {
  const page = await (browser as Browser).newPage();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== service.app.url) strays.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(service.url);
  await page.waitForSelector(".graphiql-execute-button");
  return page;
}

testInBrowser(
  "GraphiQL opens with an example that answers, and needs nothing from elsewhere",
  async () => {
    const page = await openPage();
    await page.click(".graphiql-execute-button");
    // The editor shows spaces as no-break ones.
    await answered(page, "Seen in a browser");
    expect(strays).toEqual([]);
    expect(faults).toEqual([]);
  },
  60_000,
);

/** Waits until the answer that is shown has this text in it; the editor shows spaces as no-break ones. */
async function answered(page: Page, text: string): Promise<void> {
  const shown = page.locator(".graphiql-response .view-lines");
  while (!(await shown.innerText()).replaceAll("\u00a0", " ").includes(text)) await page.waitForTimeout(20);
}
