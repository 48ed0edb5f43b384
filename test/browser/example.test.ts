import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import type { Browser, Page } from "playwright-core";
import { untilListening, useService } from "../support/service.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The publication of examples/web in a browser. No screen needs more than one request to show. */
const testInBrowser = hasBrowser ? test : test.skip;

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = mkdtempSync(join(tmpdir(), "content-service-example-"));
const program = (name: string) => join(root, "node_modules", name);
const service = useService();
// Jest sets NODE_ENV to "test", and Vite would build React's development version.
const environment = { ...process.env, NODE_ENV: "production" };
const content = `
  update app_private.accounts set password_hash = app_private.password_hash('sample password', app_hidden.gen_salt('bf', 4));
  insert into app_public.posts (author_id, title, content, status, published_at)
  select 2, 'Post ' || n, 'About bread, ' || n || ' times.', 'PUBLISHED', now() - n * interval '1 day' from generate_series(1, 25) n;
  insert into app_public.comments (post_id, author_id, text) values (1, 1, 'A first comment');
  insert into app_public.chats (title) values ('Bakers');
  insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2);
  insert into app_public.messages (chat_id, sender_id, text) select 1, 1, 'Loaf ' || n from generate_series(1, 40) n;
  insert into app_public.messages (chat_id, sender_id, text) values (1, 2, 'Is anybody up?');
`;
let preview: ChildProcess;
let origin: string;
let browser: Browser;
let page: Page;
/** The names of the operations that the page has sent over HTTP. */
let requests: string[];

beforeAll(async () => {
  const opening = hasBrowser ? openBrowser() : undefined;
  await Promise.all([build(), service.database.query(content)]);
  origin = await serve();
  if (opening) browser = await opening;
});

/** Builds the page. */
async function build(): Promise<void> {
  const run = (name: string, ...args: string[]) =>
    promisify(execFile)(process.execPath, [program(name), ...args], { cwd: root, env: environment });
  await run("vite/bin/vite.js", "build", "examples/web", "--outDir", built, "--emptyOutDir", "--logLevel", "error");
}

/** Serves the page and forwards /graphql to the service, as the example's own Vite does. @returns the origin */
function serve(): Promise<string> {
  const args = ["preview", "examples/web", "--outDir", built, "--host", "127.0.0.1", "--port", "0"];
  preview = spawn(process.execPath, [program("vite/bin/vite.js"), ...args], {
    cwd: root,
    env: { ...environment, SERVICE_URL: service.app.url },
  });
  return new Promise((resolve, reject) => {
    let output = "";
    preview.stdout?.on("data", (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(stripVTControlCharacters(output))?.[0];
      if (found) resolve(found);
    });
    preview.once("exit", () => reject(new Error(output)));
  });
}
afterAll(async () => {
  await browser?.close();
  preview?.removeAllListeners("exit");
  preview?.kill();
  rmSync(built, { recursive: true });
});

beforeEach(async () => {
  if (!hasBrowser) return;
  requests = [];
  page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  page.on("request", (request) => {
    if (request.url() === `${origin}/graphql`) requests.push(request.postDataJSON().operationName);
  });
});
afterEach(async () => {
  await page?.close();
});

/** Signs in as Ada, which shows the feed. */
async function signIn(): Promise<void> {
  await page.goto(`${origin}/#/sign-in`);
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Password").fill("sample password");
  await press("Sign in");
  await heading("Post 1");
  expect(sent()).toEqual(["SignIn", "Feed"]);
}

const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const menu = (name: string) => page.getByRole("navigation").getByRole("link", { name }).click();
const text = (words: string) => page.getByText(words, { exact: true }).and(page.locator(":not(textarea)")).waitFor();
/** The requests since the last call. One that comes too late for a call is in the way of the next. */
const sent = () => requests.splice(0);
/** A change by another user. */
async function asBob(mutation: string): Promise<void> {
  expect(await service.ask(`mutation { ${mutation} }`, { as: "bob" })).not.toHaveProperty("errors");
}

testInBrowser("a reader without an account reads the feed to its end, a post, a profile, and searches", async () => {
  await page.goto(origin);
  await heading("Post 1");
  expect(sent()).toEqual(["Feed"]);
  const cards = page.getByRole("article");
  expect(await cards.count()).toBe(10);
  for (const post of ["Post 20", "Post 25"]) {
    await page.keyboard.press("End");
    await heading(post);
  }
  expect(await cards.count()).toBe(25);
  expect(sent()).toEqual(["Feed", "Feed"]);

  await page.getByRole("link", { name: "Post 1", exact: true }).click();
  await text("A first comment");
  expect(sent()).toEqual(["Post"]);

  await page.getByRole("link", { name: "Bob" }).click();
  await heading("Newest followers");
  expect(sent()).toEqual(["Profile"]);

  await menu("Search");
  await page.getByLabel("Words").fill("bread 7");
  await page.keyboard.press("Enter");
  await page.locator("mark").first().waitFor();
  await heading("Post 7");
  expect(sent()).toEqual(["Search"]);

  await menu("Sign in");
  await page.getByLabel("E-mail").fill("ada@example.com");
  await page.getByLabel("Password").fill("wrong");
  await press("Sign in");
  await page.getByRole("alert").waitFor();
  expect(sent()).toEqual(["SignIn"]);
});

testInBrowser("a session survives a reload, is refreshed, and ends", async () => {
  await signIn();
  await page.reload();
  await heading("Post 1");
  expect(sent()).toEqual(["Feed"]);
  await page.evaluate(
    `sessionStorage.session = JSON.stringify({ ...JSON.parse(sessionStorage.session), refreshAt: 0 })`,
  );
  await page.reload();
  await page.getByRole("link", { name: "Ada", exact: true }).waitFor();
  expect(sent()).toEqual(["Refresh", "Feed"]);
  await press("Sign out");
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  await heading("Post 1");
  expect(sent().sort()).toEqual(["Feed", "SignOut"]);
});

testInBrowser("comments and replies", async () => {
  await signIn();
  await page.getByRole("link", { name: "Post 2", exact: true }).click();
  await page.getByLabel("Your comment").fill("Well said");
  await press("Send");
  await text("Well said");
  await press("Reply to Ada");
  await page.getByLabel("Your reply").fill("Says who?");
  await page.getByLabel("Your reply").press("Tab");
  await page.keyboard.press("Enter");
  await text("Says who?");
  expect(sent()).toEqual(["Post", "Comment", "Post", "Comment", "Post"]);
});

testInBrowser("a draft is written, changed by two at once, and published", async () => {
  await signIn();
  await menu("Write");
  await page.getByLabel("Title").fill("Mine");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("One.");
  await page.getByLabel("Tags").fill("bread, salt");
  expect(sent()).toEqual(["Drafts"]);
  await press("Save draft");
  await heading("Edit");
  await page.getByRole("button", { name: "Publish" }).waitFor();
  expect(sent()).toEqual(["CreatePost", "EditPost"]);

  const id = page.url().split("/").at(-1);
  const write = (title: string) =>
    service.ask(`mutation { updatePost(id: "${id}", input: { title: "${title}" }) { id } }`, { as: "ada" });
  await write("Theirs");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Two.");
  await press("Publish");
  await heading("Theirs");
  expect(await page.getByLabel("Title").inputValue()).toBe("Mine");
  expect(sent()).toEqual(["UpdatePost", "EditPost"]);
  await press("Go on with this one");
  expect(await page.getByLabel("Title").inputValue()).toBe("Theirs");

  await write("Theirs again");
  await page.getByLabel("Title").fill("Ours");
  await press("Publish");
  await heading("Theirs again");
  await press("Publish");
  await heading("Ours");
  await text("One.");
  expect(sent()).toEqual(["UpdatePost", "EditPost", "UpdatePost", "Post"]);
});

testInBrowser("a profile is edited; others are followed", async () => {
  await signIn();
  await menu("Ada");
  await page.getByText("Edit your profile").click();
  await page.getByLabel("About you").fill("Bakes.");
  await page.getByLabel("URL of your picture").fill("http://example.com/ada.png");
  await press("Save");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("URL of your picture").fill("");
  await press("Save");
  await text("Saved.");
  expect(sent()).toEqual(["Profile", "UpdateProfile", "UpdateProfile"]);

  await page.goto(`${origin}/#/user/2`);
  await press("Follow");
  await press("Unfollow");
  await page.getByRole("button", { name: "Follow", exact: true }).waitFor();
  expect(sent()).toEqual(["Profile", "Follow", "Unfollow"]);
});

testInBrowser("chats count unread messages as they come, and a chat shows them", async () => {
  await signIn();
  await menu("Chats");
  await page.getByText("Bob: Is anybody up?").waitFor();
  await untilListening(1, service.app);
  await asBob('sendMessage(chatId: "1", text: "The oven is hot.") { id }');
  await page.getByText("Bob: The oven is hot.").waitFor();
  await page.getByText("2 unread").waitFor();
  expect(sent()).toEqual(["Chats"]);

  await page.getByRole("link", { name: "Bakers" }).click();
  await text("The oven is hot.");
  await untilListening(1, service.app);
  await asBob('sendMessage(chatId: "1", text: "Hello?") { id }');
  await text("Hello?");
  await page.getByLabel("Message").fill("Coming.");
  await press("Send");
  await text("Coming.");
  expect(sent()).toEqual(["Chat", "MarkChatRead", "MarkChatRead", "Send"]);
  expect(await page.getByRole("listitem").first().textContent()).toContain("Coming.");
  await page
    .getByRole("listitem")
    .last()
    .evaluate((item) => item.scrollIntoView());
  await text("Loaf 1");
  expect(sent()).toEqual(["Chat"]);
  await menu("Chats");
  await page.getByText("Ada: Coming.").waitFor();
  expect(await page.getByText("unread").count()).toBe(0);

  await page.goto(`${origin}/#/user/2`);
  await press("Chat");
  await heading("Bob");
  await page.getByLabel("Message").waitFor();
  expect(sent()).toEqual(["Chats", "Profile", "OpenDirectChat", "Chat"]);
});

testInBrowser("notifications are counted in the menu until they are seen", async () => {
  await asBob('followUser(userId: "1") { id }');
  await signIn();
  await menu("Notifications (1)");
  await page.getByText("follows you").waitFor();
  await page.getByRole("link", { name: "Notifications", exact: true }).waitFor();
  expect(sent()).toEqual(["Notifications", "MarkNotificationsRead"]);
});
