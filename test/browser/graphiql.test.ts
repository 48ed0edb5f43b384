import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page, ViewportSize } from "playwright-core";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { colorsOf } from "./support/colors.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The page that developers meet, in a browser that reaches nothing but this service. */
// Skipped where no browser is installed: hasBrowser says what to install.
const testInBrowser = hasBrowser ? test : test.skip;

const samples = { emails: ["sam@example.com"], password: "a sample password" };
/** `npm run snapshots` takes it. */
const picture = fileURLToPath(new URL("../../docs/pictures/graphiql.png", import.meta.url));
const service = useService({ sampleSignIns: samples });
let browser: Browser;
/** Requests of the page to other origins. */
const strays: string[] = [];
const faults: string[] = [];
/** What the page has sent to the service. */
const sent: { operationName?: string; variables?: unknown }[] = [];

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Seen in a browser', 'Text.', 'PUBLISHED');
    update app_public.posts set published_at = '2026-01-05', first_published_at = '2026-01-05';
    insert into app_public.comments (post_id, author_id, text) values (1, 2, 'So it is.'), (1, 1, 'Thank you.');
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
  `);
  for (const [name, password] of [
    ["Sam", samples.password],
    ["Tim", "Tim's password"],
  ]) {
    await service.ask(
      `mutation { createUser(name: "${name}", email: "${name?.toLowerCase()}@example.com", password: "${password}") { id } }`,
    );
  }
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openPage(query = "", operation = "Feed", colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const page = await newPage(colorScheme);
  await page.goto(service.url + query);
  await untilReady(page, operation);
  return page;
}

/** A page of a visitor who has not been here before. */
async function newPage(colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], colorScheme });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  // The page may still ask while the service closes.
  const { origin: own } = new URL(service.url);
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && origin !== own) strays.push(request.url());
    if (request.method() === "POST") sent.push(request.postDataJSON());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  return page;
}

async function untilReady(page: Page, operation = "Feed"): Promise<void> {
  await page.locator(".graphiql-query-editor .view-lines").filter({ hasText: operation }).waitFor();
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("tab", { name }).click();
  // GraphiQL registers the operation's name a moment after it shows the text. Wait, or it overwrites the text.
  await until(async () => (await page.evaluate<string>(`localStorage.getItem("graphiql:query") ?? ""`)).includes(name));
}

async function signIn(page: Page, fields: Record<string, string>): Promise<void> {
  if (fields["Token"]) await page.getByRole("button", { name: "Use a token" }).click();
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** The editor shows spaces as no-break ones. */
function withSpaces(text: string): string {
  return text.replaceAll("\u00a0", " ");
}

async function fontOf(page: Page, selector: string): Promise<{ color: string; size: number; weight: string }> {
  return page.evaluate(`(({ color, fontSize, fontWeight }) => ({ color, size: parseFloat(fontSize), weight: fontWeight }))(
    getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`);
}

async function run(page: Page): Promise<void> {
  await page.click(".graphiql-execute-button");
}

/** The answer that is shown, when it has this text in it. The editor shows spaces as no-break ones, which match. */
function resultWith(page: Page, text: string): Locator {
  return page.locator(".graphiql-response").filter({ hasText: text });
}

afterEach(() => {
  expect(strays.splice(0)).toEqual([]);
  expect(faults.splice(0)).toEqual([]);
});

describe("a link", () => {
  const feeds = "query First { feedCount: postsCount }\nquery Second($limit: Int!) { feed(limit: $limit) { title } }";
  const link = `?${new URLSearchParams({ query: feeds, variables: '{ "limit": 1 }', operationName: "Second" })}`;
  const editor = (of: "query" | "variable") => page.locator(`.graphiql-${of}-editor .view-lines`).innerText();
  let page: Page;
  beforeAll(async () => {
    sent.splice(0);
    if (hasBrowser) page = await openPage(link, "Second");
  });

  testInBrowser("opens a tab with its query and variables, and runs nothing", async () => {
    expect(await page.getByRole("tab").allInnerTexts()).toEqual(["First", "Feed", "SendMessage", "MessageAdded"]);
    expect(withSpaces(await editor("query"))).toBe(feeds);
    await page.locator(".graphiql-editor-tool .view-lines").filter({ hasText: '{ "limit": 1 }' }).first().waitFor();
    expect(page.url()).toBe(service.url);
    expect(sent.map(({ operationName }) => operationName)).toEqual(["IntrospectionQuery"]);
  });

  testInBrowser("names the operation that runs, and other tabs run theirs", async () => {
    await run(page);
    await resultWith(page, "Seen in a browser").waitFor();
    expect(sent.at(-1)).toMatchObject({ operationName: "Second", variables: { limit: 1 } });
    await openTab(page, "Feed");
    await run(page);
    await resultWith(page, "So it is.").waitFor();
    expect(sent.at(-1)).toMatchObject({ operationName: "Feed" });
  });

  testInBrowser("opens beside the tabs of earlier visits", async () => {
    await page.goto(`${service.url}?query=${encodeURIComponent("query Third { __typename }")}`);
    await untilReady(page, "Third");
    const tabs = ["First", "Feed", "SendMessage", "MessageAdded", "Third"];
    expect(await page.getByRole("tab").allInnerTexts()).toEqual(tabs);
    expect(await page.getByRole("tab", { selected: true }).innerText()).toBe("Third");
    await page.context().close();
  });
});

describe.each(["light", "dark"] as const)("in a %s system", (theme) => {
  let page: Page;
  beforeAll(async () => {
    if (hasBrowser) page = await openPage("", "Feed", theme);
  });

  testInBrowser("the bar has the colors of the editor, and legible words", async () => {
    const backgroundOf = async (selector: string) => (await colorsOf(page, selector)).background;
    for (const part of ["strong", "input", "button", "[name=other]"]) {
      expect((await colorsOf(page, `#session ${part}`)).contrast).toBeGreaterThan(7);
    }
    expect((await colorsOf(page, "#session input", "::placeholder")).contrast).toBeGreaterThan(4.5);
    const before = await backgroundOf("#session");
    expect(before).toBeCloseTo(await backgroundOf(".graphiql-container"), 2);
    // A choice in GraphiQL's settings counts more than the system.
    await page.getByRole("button", { name: "Open settings dialog" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: theme === "light" ? "Dark" : "Light" })
      .click();
    const after = await backgroundOf("#session");
    expect(after > before).toBe(theme === "dark");
    expect(after).toBeCloseTo(await backgroundOf(".graphiql-container"), 2);
    await page.keyboard.press("Escape");
  });

  testInBrowser(
    "one field is for the account, one for a token behind a word, and nothing is louder than the labels",
    async () => {
      const fields = () =>
        page.evaluate(
          '[...document.querySelectorAll("#session input")].filter((one) => one.checkVisibility()).map(({ name }) => name)',
        );
      expect(await fields()).toEqual(["email", "password"]);
      await page.getByRole("button", { name: "Use a token" }).click();
      expect(await fields()).toEqual(["token"]);
      await page.getByRole("button", { name: "Use an account" }).click();
      expect(await fields()).toEqual(["email", "password"]);
      const label = await fontOf(page, ".graphiql-editor-tools button");
      for (const part of [".graphiql-logo a", ".ruru-footer", ".ruru-footer a"]) {
        const { color, size, weight } = await fontOf(page, part);
        expect([part, color, weight]).toEqual([part, label.color, label.weight]);
        expect(size).toBeLessThan(label.size);
      }
      await page.context().close();
    },
  );
});

/* A page takes a second and a half of processor time to load, so tests go on where the one before has left it. */
describe("without a session", () => {
  let page: Page;
  beforeAll(async () => {
    if (hasBrowser) page = await openPage();
  });

  testInBrowser("GraphiQL opens with an example that answers", async () => {
    await run(page);
    await resultWith(page, "Seen in a browser").waitFor();
    if (process.env.WRITE_SNAPSHOTS === "1") await page.screenshot({ path: picture });
  });

  testInBrowser(
    "on a phone, the documentation, the editor and the result stand below each other, as wide as the page",
    async () => {
      const desktop = page.viewportSize() as ViewportSize;
      await page.setViewportSize({ width: 360, height: 800 });
      await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
      await page.locator(".graphiql-doc-explorer-content").waitFor();
      await run(page);
      await resultWith(page, "Seen in a browser").waitFor();
      let bottom = 0;
      for (const pane of [".graphiql-plugin", ".graphiql-query-editor", ".graphiql-response"]) {
        const { y, width, height } = (await page.locator(pane).boundingBox()) as {
          y: number;
          width: number;
          height: number;
        };
        expect({ pane, isBelow: y >= bottom, isWide: width > 300, isHigh: height > 150 }).toEqual({
          pane,
          isBelow: true,
          isWide: true,
          isHigh: true,
        });
        bottom = y + height;
      }
      expect(bottom).toBeLessThanOrEqual(800);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      await page.getByRole("button", { name: "Hide Documentation Explorer" }).click();
      await page.setViewportSize(desktop);
    },
  );

  testInBrowser("a password in an operation is not kept, neither in the history nor in the storage", async () => {
    const text = `mutation Secret { signIn(email: "sam@example.com", password: "${samples.password}") { expiresIn } }`;
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.locator(".graphiql-query-editor .view-lines").click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("ControlOrMeta+V");
    await page.getByRole("tab", { name: "Secret" }).waitFor();
    await run(page);
    await resultWith(page, "expiresIn").waitFor();
    await page.getByRole("button", { name: "Show History" }).click();
    expect(await page.locator(".graphiql-history-item").allInnerTexts()).toEqual(["Feed"]);
    expect(await page.evaluate<string>("JSON.stringify(localStorage)")).not.toContain(samples.password);
  });

  testInBrowser("the link of a mail opens the mutation that it asks for", async () => {
    const mailed = await newPage();
    await service.ask(
      `mutation { createUser(name: "Eve", email: "eve@example.com", password: "eve's password") { id } }`,
    );
    await mailed.goto(service.app.mailsUrl);
    await mailed.getByRole("link").first().click();
    await untilReady(mailed, "ConfirmEmail");
    expect(mailed.url()).toBe(service.url);
    await run(mailed);
    await resultWith(mailed, '"name": "Eve"').waitFor();
    await mailed.context().close();
  });

  testInBrowser("its title is the service's, and nothing on it is dead", async () => {
    expect(await page.title()).toBe("content-service: GraphiQL");
    for (const name of [/Explain/, /Merge/, /^Options$/, /^Headers$/]) {
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    }
    await page.getByRole("button", { name: "Show SDL" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("schema.graphql");
  });

  testInBrowser("mutations are sorted by what they are about", async () => {
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.locator(".graphiql-doc-explorer-content").getByText("Mutation", { exact: true }).click();
    await page.locator(".graphiql-doc-explorer-field-name").getByText("createPost").waitFor();
    const names = await page.locator(".graphiql-doc-explorer-field-name").allTextContents();
    const first = names.indexOf("createPost");
    expect(names.slice(first, first + 3)).toEqual(["createPost", "deletePost", "reportPost"]);
  });
});

describe("with a session", () => {
  let page: Page;
  beforeAll(async () => {
    if (hasBrowser) page = await openPage();
  });

  testInBrowser("a sample user signs in without a password, anyone else by email and password", async () => {
    expect(await page.locator("#samples option").allInnerTexts()).toEqual(samples.emails);
    await page.getByLabel("Email", { exact: true }).fill("sam@example.com");
    expect(await page.getByLabel("Password", { exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("Email", { exact: true }).press("Enter");
    await page.getByText("Signed in as Sam").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page, { Email: "tim@example.com", Password: "a wrong one" });
    await page.getByText("The email or the password is wrong.").waitFor();
    await signIn(page, { Email: "tim@example.com", Password: "Tim's password" });
    await page.getByText("Signed in as Tim").waitFor();
    const stored = await page.evaluate<string>("JSON.stringify(localStorage)");
    for (const password of [samples.password, "Tim's password"]) expect(stored).not.toContain(password);
  });

  testInBrowser(
    "the session is refreshed when its token is about to expire, and over when the service ends it",
    async () => {
      const token = () => page.evaluate<string>(`JSON.parse(sessionStorage.getItem("session")).accessToken`);
      const expire = `sessionStorage.setItem("session", JSON.stringify({ ...JSON.parse(sessionStorage.getItem("session")), refreshAt: 0 }))`;
      const before = await token();
      await page.evaluate(expire);
      await page.reload();
      await untilReady(page);
      await run(page);
      await resultWith(page, "Seen in a browser").waitFor();
      expect(await token()).not.toBe(before);
      await service.database.query("delete from app_private.sessions");
      await page.evaluate(expire);
      await page.reload();
      await untilReady(page);
      await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
      await run(page);
      await resultWith(page, "Seen in a browser").waitFor();
      expect(await page.evaluate(`sessionStorage.getItem("session")`)).toBeNull();
    },
  );

  testInBrowser("a token that is pasted signs the requests of all tabs in, until the user signs out", async () => {
    await openTab(page, "SendMessage");
    await run(page);
    await resultWith(page, "UNAUTHORIZED").waitFor();
    await signIn(page, { Token: await service.tokenOf("ada") });
    await page.getByText("Signed in as Ada").waitFor();
    await run(page);
    await resultWith(page, "Hello").waitFor();
    expect(await service.database.query("select sender_id, text from app_public.messages")).toEqual([
      { sender_id: "1", text: "Hello" },
    ]);
    await page.reload();
    await untilReady(page, "SendMessage");
    await page.getByText("Signed in as Ada").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await run(page);
    await resultWith(page, "UNAUTHORIZED").waitFor();
  });

  testInBrowser("messageAdded shows what is said, as soon as it is, and ends when it is stopped", async () => {
    await openTab(page, "MessageAdded");
    await signIn(page, { Token: await service.tokenOf("ada") });
    await page.getByText("Signed in as Ada").waitFor();
    await run(page);
    await until(() => service.app.subscriptions > 0);
    for (const text of ["Is anyone here?", "It seems so."]) {
      await service.ask(`mutation { sendMessage(chatId: 1, text: "${text}") { id } }`, { as: "ada" });
      await resultWith(page, text).waitFor();
    }
    await run(page);
    await until(() => service.app.subscriptions === 0);
  });
});
