import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, jest, test } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { useService } from "../support/service.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The page that developers meet, in a browser that reaches nothing but this service. */
// Where there is none, there is nothing to look with: hasBrowser says what to install.
const testInBrowser = hasBrowser ? test : test.skip;

jest.setTimeout(60_000);
const service = useService();
let browser: Browser;
/** Requests of the page to other origins. */
const strays: string[] = [];
const faults: string[] = [];

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Seen in a browser', 'Text.', 'PUBLISHED');
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
  `);
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== service.app.url) strays.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(service.url);
  await page.locator(".graphiql-query-editor .view-lines").filter({ hasText: "Feed" }).waitFor();
  return page;
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  // GraphiQL registers the operation's name a moment after it shows the text. Wait, or it overwrites the text.
  while (!(await page.evaluate<string>(`localStorage.getItem("graphiql:query") ?? ""`)).includes(name));
}

/** Pastes them into the open tab's Headers, in the place of what is there. */
async function setHeaders(page: Page, headers: Record<string, string>): Promise<void> {
  const text = JSON.stringify(headers);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.locator(".graphiql-editor-tool .graphiql-editor:not(.hidden) .view-lines").click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("ControlOrMeta+V");
}

async function run(page: Page): Promise<void> {
  await page.click(".graphiql-execute-button");
}

/** The answer that is shown, when it has this text in it. The editor shows spaces as no-break ones, which match. */
function answerWith(page: Page, text: string): Locator {
  return page.locator(".graphiql-response").filter({ hasText: text });
}

afterEach(() => {
  expect(strays.splice(0)).toEqual([]);
  expect(faults.splice(0)).toEqual([]);
});

testInBrowser("GraphiQL opens with an example that answers", async () => {
  const page = await openPage();
  await run(page);
  await answerWith(page, "Seen in a browser").waitFor();
});

testInBrowser("a tab's Headers sign its request in", async () => {
  const page = await openPage();
  await openTab(page, "SendMessage");
  await run(page);
  await answerWith(page, "UNAUTHORIZED").waitFor();
  await setHeaders(page, await service.headersOf("ada"));
  await run(page);
  await answerWith(page, "Hello").waitFor();
  expect(await service.database.query("select sender_id, text from app_public.messages")).toEqual([
    { sender_id: "1", text: "Hello" },
  ]);
});

testInBrowser("messageAdded shows what is said, as soon as it is, to who may hear it", async () => {
  const page = await openPage();
  await openTab(page, "MessageAdded");
  await setHeaders(page, await service.headersOf("ada"));
  await run(page);
  while (service.app.subscriptions === 0) await setImmediate();
  for (const text of ["Is anyone here?", "It seems so."]) {
    await service.ask(`mutation { sendMessage(chatId: 1, text: "${text}") { id } }`, { as: "ada" });
    await answerWith(page, text).waitFor();
  }
});
