import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";
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

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Seen in a browser', 'Text.', 'PUBLISHED');
    update app_public.posts set published_at = '2026-01-05', first_published_at = '2026-01-05';
    insert into app_public.comments (post_id, author_id, text) values (1, 2, 'So it is.'), (1, 1, 'Thank you.');
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
  `);
  await service.ask(
    `mutation { createUser(name: "Sam", email: "sam@example.com", password: "${samples.password}") { id } }`,
  );
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openPage(): Promise<Page> {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  // The page may still ask while the service closes.
  const { origin: own } = new URL(service.url);
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && origin !== own) strays.push(request.url());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(service.url);
  await untilReady(page);
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
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
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
    const mailed = await openPage();
    await service.ask(
      `mutation { createUser(name: "Eve", email: "eve@example.com", password: "eve's password") { id } }`,
    );
    await mailed.goto(`${service.app.url}/mails`);
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

  testInBrowser("a sample user signs in by one choice, anyone else by email and password", async () => {
    await page.getByLabel("Sample user").selectOption("sam@example.com");
    await page.getByText("Signed in as Sam").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page, { Email: "sam@example.com", Password: "a wrong one" });
    await page.getByText("The email or the password is wrong.").waitFor();
    await signIn(page, { Email: "sam@example.com", Password: samples.password });
    await page.getByText("Signed in as Sam").waitFor();
    expect(await page.evaluate<string>("JSON.stringify(localStorage)")).not.toContain(samples.password);
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
