import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { OidcProvider } from "../support/OidcProvider.ts";
import { type Person, people, untilListening, useService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { FilmStrip } from "./support/FilmStrip.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The publication of examples/web in a browser. No screen needs more than one request to show. */
// Skipped where no browser is installed: hasBrowser says what to install.
const testInBrowser = hasBrowser ? test : test.skip;

const root = fileURLToPath(new URL("../../", import.meta.url));
const built = mkdtempSync(join(tmpdir(), "content-service-example-"));
const provider = new OidcProvider({ dora: { email: "dora@example.com", email_verified: true, name: "Dora" } });
const service = useService({}, async () => {
  // A program of this machine may come back to any port.
  await provider.start(["http://127.0.0.1/signed-in"]);
  return { token: provider.trusted };
});
// Jest sets NODE_ENV to "test", and Vite would build React's development version.
const environment = { ...process.env, NODE_ENV: "production" };
const content = `
  update app_private.accounts set password_hash = app_private.password_hash('sample password', app_hidden.gen_salt('bf', 4));
  insert into app_public.posts (author_id, title, content, status, published_at)
  select 2, 'Post ' || n, 'About bread, ' || n || ' times.', 'PUBLISHED', now() - n * interval '1 day' from generate_series(1, 25) n;
  update app_public.posts set content = E'# Rye\\n\\n' || content || ' **Bold** <img src="x" onerror="alert(1)"> [bad](javascript:alert(1))'
  where title = 'Post 2';
  update app_public.users set name = 'Grace' where id = 3;
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
let requests: string[] = [];

beforeAll(async () => {
  const opening = hasBrowser ? openBrowser() : undefined;
  [origin] = await Promise.all([serve(), service.database.query(content)]);
  for (const id of [1, 2]) await asBob(`updatePost(id: "${id}", input: { tags: ["bread"] }) { id }`);
  if (opening) await show(await opening);
});

/** One page, as wide as a phone, for all tests: it compiles the scripts once. */
async function show(opened: Browser): Promise<void> {
  browser = opened;
  const context = await browser.newContext({ viewport: { width: 360, height: 720 } });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("request", (request) => {
    if (request.url() === `${origin}/graphql`) requests.push(request.postDataJSON().operationName);
  });
  await page.goto(`${origin}/sign-in`);
}

/** Builds the page, serves it, and forwards /graphql to the service, as the example's own Vite does. @returns the origin */
function serve(): Promise<string> {
  const script = `import { copyFileSync } from "node:fs";
    import { build, preview } from "vite";
    const options = {
      configFile: "examples/web/vite.config.ts", configLoader: "native", logLevel: "error",
      build: { outDir: ${JSON.stringify(built)}, emptyOutDir: true }, preview: { host: "127.0.0.1", port: 0 },
    };
    await build(options);
    copyFileSync("node_modules/axe-core/axe.min.js", ${JSON.stringify(join(built, "axe.js"))});
    console.log((await preview(options)).resolvedUrls.local[0]);`;
  preview = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: root,
    env: {
      ...environment,
      SERVICE_URL: service.app.url,
      VITE_OIDC_ISSUER: provider.issuer,
      VITE_OIDC_CLIENT_ID: "web",
    },
  });
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found) resolve(found);
    };
    preview.stdout?.on("data", read);
    preview.stderr?.on("data", read);
    preview.once("exit", () => reject(new Error(output)));
  });
}
afterAll(async () => {
  await browser?.close();
  preview?.removeAllListeners("exit");
  preview?.kill();
  rmSync(built, { recursive: true });
  await provider.stop();
});

/** Opens a path of the page as that person, and waits for its heading. */
async function open(path: string, title: string, as: Person = "nobody"): Promise<void> {
  await page.context().setOffline(false);
  await page.unrouteAll();
  await page.evaluate(`localStorage.clear(); Object.assign(localStorage, ${JSON.stringify(await storageOf(as))})`);
  requests = [];
  await page.goto(`${origin}${path}`);
  await heading(title);
}

/** What signing in leaves in the browser. */
async function storageOf(person: Person) {
  if (person === "nobody") return {};
  const session = { accessToken: await service.tokenOf(person), userId: people[person], refreshAt: Date.now() + 1e6 };
  return { session: JSON.stringify(session) };
}

const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const press = (name: string) => button(name).click();
const menu = (name: string) => page.getByRole("navigation").getByRole("link", { name }).click();
const text = (words: string) => page.getByText(words, { exact: true }).and(page.locator(":not(textarea)")).waitFor();
const fill = (label: string, value: string) => page.getByLabel(label).fill(value);
/** What the element with the focus is called, or contains. */
const focused = () =>
  page.evaluate(
    "(({ id, labels, textContent }) => labels?.[0]?.textContent || id || textContent)(document.activeElement)",
  );
/** The requests since the last call. One that comes too late for a call is in the way of the next. */
const sent = () => requests.splice(0);
/** A change by another user. */
/** Tells of changes in inboxes, as the service's timer does, which tests are without. */
const tell = () =>
  service.database.query(
    "update app_private.inbox_changes set due_at = '-infinity'; select app_hidden.record_inbox_changes()",
  );

async function asBob(mutation: string): Promise<void> {
  expect(await service.ask(`mutation { ${mutation} }`, { as: "bob" })).not.toHaveProperty("errors");
}
/** Follows the link of the latest mail, on the page where the service shows mails. */
async function followMail(): Promise<void> {
  await page.goto(`${service.app.mailsUrl}&app=${origin}`);
  await page.getByRole("link").first().click();
}

/** Nothing on this screen is in the way of a reader: axe looks at all of it in light, and at its colours in dark. */
async function expectAccessible(): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.addScriptTag({ url: "/axe.js" });
  const faults = (options: string) =>
    page.evaluate(`axe.run({ resultTypes: ["violations"], preload: false, iframes: false, selectors: false, ${options} }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(", ")))`);
  expect(await faults("")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await faults('runOnly: ["color-contrast"]')).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  // Nothing is wider than a phone.
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
}

type Box = Record<"left" | "right" | "top" | "bottom", number>;

/** Where the first element of each selector stands. */
function boxesOf<Selectors extends string[]>(...selectors: Selectors): Promise<{ [Key in keyof Selectors]: Box }> {
  return page.evaluate(
    `${JSON.stringify(selectors)}.map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
  );
}

testInBrowser("a reader without an account reads the feed to its end, a post, a profile, and searches", async () => {
  await open("/", "Post 1");
  expect(sent()).toEqual(["Feed"]);
  const cards = page.getByRole("article");
  expect(await cards.count()).toBe(10);
  await expectAccessible();
  for (const post of ["Post 20", "Post 25"]) {
    await page.keyboard.press("End");
    await heading(post);
  }
  expect(await cards.count()).toBe(25);
  expect(sent()).toEqual(["Feed", "Feed"]);

  // Back shows all pages, and the place, without a request.
  await page.getByRole("link", { name: "Post 23", exact: true }).click();
  await text("About bread, 23 times.");
  expect(await page.title()).toBe("Post 23");
  expect(await page.evaluate("scrollY")).toBe(0);
  await page.goBack();
  await heading("Post 25");
  await page.waitForFunction("scrollY > 1000");
  expect(sent()).toEqual(["Post"]);

  await page.getByRole("link", { name: "#bread" }).first().click();
  await heading("#bread");
  expect(await cards.count()).toBe(2);
  await expectAccessible();
  expect(sent()).toEqual(["Tag"]);

  await page.getByRole("link", { name: "Bob" }).first().click();
  await heading("Posts");
  // The page is Bob's, and its cards do not say so again.
  expect(await cards.getByText("Bob").count()).toBe(0);
  await expectAccessible();
  expect(sent().slice(0, 1)).toEqual(["Profile"]);

  await menu("Search");
  await fill("Search", "bread 7");
  await page.keyboard.press("Enter");
  await page.locator("mark").first().waitFor();
  await heading("Post 7");
  await page.getByRole("status").getByText("1 post", { exact: true }).waitFor();
  await expectAccessible();
  expect(sent()).toEqual(["Search"]);
});

testInBrowser("a search counts what it finds, and shows it as plain text that ends with whole words", async () => {
  const content = `# Before\n\n${"One may **knead** and wait. ".repeat(20)}[Sourdough](https://example.com) is _patient_. ${"Then one bakes. ".repeat(20)}`;
  await asBob(
    `createPost(input: { title: "Patience", content: ${JSON.stringify(content)}, status: PUBLISHED }) { id }`,
  );
  await open("/search/sourdough%20patient", "Patience");
  await page.getByRole("status").getByText("1 post", { exact: true }).waitFor();
  const excerpt = await page.locator(".excerpt").innerText();
  expect(excerpt).toMatch(/^… .*Sourdough is patient\. .* …$/);
  expect(excerpt).not.toMatch(/[*_#[\]]/);
  const words = new Set(content.match(/[a-z]+/gi));
  expect(excerpt.match(/[a-z]+/gi)?.filter((word) => !words.has(word))).toEqual([]);
  await service.database.query("delete from app_public.posts where title = 'Patience'");
});

testInBrowser("the header is whole on each path, also where nothing is", async () => {
  await asBob('followUser(userId: "3") { user { id } }');
  for (const [path, title] of [
    ["/search", "Search"],
    ["/sign-in", "Sign in"],
    ["/sign-up", "Sign up"],
    ["/confirm-email", "Confirm your email"],
    ["/forgot-password", "Forgotten password"],
    ["/reset-password", "A new password"],
    ["/nowhere", "There is no such page"],
    ["/posts/nowhere", "There is nothing here"],
  ] as const) {
    await open(path, title, "admin");
    for (const name of ["Grace", "Reports", /Notifications \d+ unread/]) {
      await page.getByRole("link", { name }).waitFor();
    }
    expect(sent().at(-1)).toBe("Viewer");
  }
  // Other tests look at the other screens.
  await expectAccessible();
});

testInBrowser("a link that is no UTF-8 leads to a page, from which a search goes on", async () => {
  await service.database.query("update app_public.posts set content = '[A discount](/%)' where title = 'Post 9'");
  await open("/posts/post-9-9", "Post 9");
  await page.getByRole("link", { name: "A discount" }).click();
  await heading("There is no such page");
  await expectAccessible();
  await fill("Search", "bread 7");
  await page.keyboard.press("Enter");
  await heading("Post 7");
});

testInBrowser("what could not be loaded is loaded when the connection is back", async () => {
  await open("/", "Post 1");
  await page.context().setOffline(true);
  await text("You are offline. What you see may be old.");
  await page.getByRole("link", { name: "Post 2", exact: true }).click();
  await heading("No connection");
  await page.context().setOffline(false);
  await heading("Rye");
  expect(await page.locator(".prose").innerHTML()).toMatchInlineSnapshot(`
"<h2>Rye</h2>
<p>About bread, 2 times. <strong>Bold</strong> <img src="x"> <a>bad</a></p>
"
`);
});

testInBrowser("a person signs up, confirms the email, and sets a new password", async () => {
  await open("/sign-up", "Sign up");
  await fill("Name", "Cleo");
  await fill("Email", "ada@example.com");
  await fill("Password", "short");
  await press("Sign up");
  await page.getByText("A password needs").waitFor();
  expect(await focused()).toBe("Password");
  await expectAccessible();
  await fill("Password", "long enough");
  await press("Sign up");
  await page.locator("input[name=email][aria-invalid=true]").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await fill("Email", "cleo@example.com");
  await press("Sign up");
  await heading("Welcome, Cleo");
  expect(sent()).toEqual(["SignUp", "SignUp", "SignUp", "SignIn", "Welcome"]);
  expect(await focused()).toBe("main");
  await expectAccessible();

  await followMail();
  await heading("Confirm your email");
  await expectAccessible();
  await press("Confirm");
  await page.getByText("your email is confirmed").waitFor();
  expect(page.url()).toBe(`${origin}/confirm-email`);
  await press("Sign out");

  await menu("Sign in");
  await fill("Email", "cleo@example.com");
  await fill("Password", "forgotten");
  await press("Sign in");
  await page.getByRole("alert").waitFor();
  await expectAccessible();
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await fill("Email", "cleo@example.com");
  await press("Send the mail");
  await page.getByText("a mail is on its way").waitFor();
  await expectAccessible();
  await followMail();
  await heading("A new password");
  await expectAccessible();
  await fill("New password", "remembered");
  sent();
  await press("Save and sign in");
  await page.getByRole("link", { name: "Cleo" }).waitFor();
  expect(sent()).toEqual(["ResetPassword", "Feed"]);
});

testInBrowser("a person signs in by an identity provider", async () => {
  await open("/sign-in", "Sign in");
  await press("Sign in with your organisation");
  await page.getByPlaceholder("Enter any login").fill("dora");
  await page.getByPlaceholder("and password").fill("any");
  await press("Sign-in");
  await press("Continue");
  await page.getByRole("link", { name: "Dora" }).waitFor();
  expect(page.url()).toBe(`${origin}/`);
  expect(sent()).toEqual(["Who", "Feed"]);
  await page.goto(`${origin}/signed-in?code=made-up&state=made-up`);
  await page.getByRole("alert").waitFor();
  await expectAccessible();
});

testInBrowser("a session is in all tabs, survives a reload, is refreshed, and ends", async () => {
  await open("/sign-in", "Sign in");
  await fill("Email", "ada@example.com");
  await fill("Password", "sample password");
  await press("Sign in");
  await heading("Post 1");
  expect(await focused()).toBe("main");
  expect(sent()).toEqual(["SignIn", "Feed"]);
  const tab = await page.context().newPage();
  await tab.goto(`${origin}/notifications`);
  await tab.getByRole("heading", { name: "Notifications" }).waitFor();
  await page.evaluate("localStorage.session = JSON.stringify({ ...JSON.parse(localStorage.session), refreshAt: 0 })");
  await page.reload();
  await page.getByRole("link", { name: "Ada", exact: true }).waitFor();
  expect(sent()).toEqual(["Refresh", "Feed"]);
  await press("Sign out");
  await page.getByRole("link", { name: "Sign in" }).waitFor();
  await heading("Post 1");
  expect(sent().sort()).toEqual(["Feed", "SignOut"]);
  await tab.getByRole("heading", { name: "Sign in" }).waitFor();
  await tab.close();
});

testInBrowser(
  "comments and replies, one’s own and those of others as they come; an admin decides about a report",
  async () => {
    await open("/", "Post 1", "ada");
    await page.getByRole("link", { name: "Post 1", exact: true }).click();
    await text("A first comment");
    await untilListening(4, service.app);
    await asBob('createComment(input: { postId: "1", text: "Live from the oven" }) { id }');
    await text("Live from the oven");
    await fill("Your comment", "Well said");
    await press("Send");
    await text("Well said");
    expect(await focused()).toBe("Your comment");
    await page.getByRole("button", { name: "Reply to Ada" }).last().click();
    expect(await focused()).toBe("Your reply");
    await page.keyboard.type("Says who?");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await text("Says who?");
    expect(await focused()).toBe("Reply");
    await heading("4 comments");
    await expectAccessible();
    await page.getByRole("button", { name: "Delete" }).last().click();
    await press("Delete for good");
    await page.getByText("Says who?").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Report" }).last().click();
    await fill("Why?", "Too hot");
    await page.getByRole("dialog").getByRole("button", { name: "Report" }).click();
    await page.getByText("Thank you").waitFor();
    await page.keyboard.press("Escape");
    expect(await focused()).toBe("Report");
    expect(sent()).toEqual(["Feed", "Post", "Comment", "Comment", "DeleteComment", "ReportComment"]);

    await open("/reports", "Reports", "admin");
    await text("Too hot");
    await untilListening(4, service.app);
    await asBob('reportComment(commentId: "2", reason: "Much too hot") { success }');
    await page.getByText("2 reports").waitFor();
    await expectAccessible();
    await fill("Note", "It is an oven.");
    await press("Dismiss");
    await text("Nothing is left to decide.");
    expect(sent()).toEqual(["Reports", "ResolveReport"]);
  },
);

testInBrowser("a draft is written, changed by two at once, scheduled, published, restored and deleted", async () => {
  await open("/write", "Write", "ada");
  await fill("Title", "Mine");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("One.");
  await fill("Tags", "bread, salt");
  await expectAccessible();
  expect(sent()).toEqual(["Drafts"]);
  await press("Save draft");
  await heading("Edit");
  await button("Publish").waitFor();
  expect(sent()).toEqual(["CreatePost", "EditPost"]);

  const id = page.url().split("/").at(-1);
  const write = (title: string) =>
    service.ask(`mutation { updatePost(id: "${id}", input: { title: "${title}" }) { id } }`, { as: "ada" });
  await write("Theirs");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Two.");
  await press("Publish");
  await heading("Theirs");
  await expectAccessible();
  expect(await page.getByLabel("Title").inputValue()).toBe("Mine");
  expect(sent()).toEqual(["UpdatePost", "EditPost"]);
  await press("Go on with this one");
  expect(await page.getByLabel("Title").inputValue()).toBe("Theirs");

  const pages = await page.evaluate("history.length");
  await press("Schedule");
  await page.locator("input[name=publishAt][aria-invalid=true]").waitFor();
  await fill("Publish later, at", "2999-01-01T10:00");
  await press("Schedule");
  await page.getByText("Scheduled for Jan 1, 2999").waitFor();
  await press("Save draft");
  await text("Saved.");
  await page.getByText("Scheduled for Jan 1, 2999").waitFor();
  // The page stays where it is: Back leads out of the editor.
  expect(await page.evaluate("history.length")).toBe(pages);
  expect(sent()).toEqual(["UpdatePost", "UpdatePost", "UpdatePost"]);

  await write("Theirs again");
  await fill("Title", "Ours");
  await press("Publish");
  await heading("Theirs again");
  await press("Publish");
  await heading("Ours");
  await text("One.");
  expect(sent()).toEqual(["UpdatePost", "EditPost", "UpdatePost", "Post"]);

  await page.getByRole("link", { name: "Earlier versions" }).click();
  await heading("Earlier versions");
  await page.locator("ins").getByText("Ours").waitFor();
  await expectAccessible();
  await page.getByLabel("Version of").selectOption({ index: 1 });
  await press("Bring this version back");
  await heading("Edit");
  await press("Delete");
  await press("Delete it");
  await heading("Write");
  expect(sent()).toEqual(["History", "RestoreRevision", "EditPost", "DeletePost", "Drafts"]);
});

testInBrowser(
  "changes of a published post are kept while they are written, and readers see them when they are published",
  async () => {
    const { data } = await service.ask(
      'mutation { createPost(input: { title: "Kept", content: "Old words.", status: PUBLISHED }) { id slug } }',
      { as: "ada" },
    );
    const { id, slug } = (data as any).createPost;
    const shown = async () => (await service.ask(`{ post(id: ${id}) { content } }`)).data?.["post"].content;
    await open(`/write/${id}`, "Edit", "ada");
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("New words.");
    await text("Your changes are kept. Readers do not see them yet.");
    expect(sent()).toEqual(["EditPost", "SaveWorkingCopy"]);
    expect(await shown()).toBe("Old words.");
    await expectAccessible();
    await press("Discard changes");
    await button("Discard changes").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("New words.");
    await text("Your changes are kept. Readers do not see them yet.");
    await page.reload();
    await page.getByText("New words.", { exact: true }).waitFor();
    await press("Discard changes");
    await button("Discard changes").waitFor({ state: "detached" });
    expect(await page.getByRole("textbox", { name: "Text", exact: true }).inputValue()).toBe("Old words.");
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Better words.");
    await press("Publish changes");
    await heading("Kept");
    await text("Better words.");
    expect(await shown()).toBe("Better words.");
    expect(page.url()).toBe(`${origin}/posts/${slug}`);
  },
);

testInBrowser(
  "a deleted post is brought back by Undo, and from the trash, where it can be deleted for good",
  async () => {
    await service.database.query("delete from app_public.posts where status = 'TRASHED'");
    const { data } = await service.ask(
      'mutation { createPost(input: { title: "Lost", content: "Found.", status: PUBLISHED }) { id } }',
      { as: "ada" },
    );
    const { id } = (data as any).createPost;
    const shown = async () => (await service.ask(`{ post(id: ${id}) { title } }`)).data?.["post"];
    await open(`/write/${id}`, "Edit", "ada");
    await press("Delete");
    await press("Delete it");
    await heading("Write");
    await text("“Lost” is deleted.");
    expect(await shown()).toBeNull();
    await expectAccessible();
    await press("Undo");
    await heading("Edit");
    expect(await shown()).toEqual({ title: "Lost" });
    await press("Delete");
    await press("Delete it");
    await heading("Write");
    await page.getByRole("link", { name: "Trash" }).click();
    await heading("Trash");
    await text("Lost");
    await expectAccessible();
    expect(sent()).toEqual([
      "EditPost",
      "DeletePost",
      "Drafts",
      "RestorePost",
      "EditPost",
      "DeletePost",
      "Drafts",
      "Trash",
    ]);
    await press("Restore");
    await heading("Edit");
    expect(await shown()).toEqual({ title: "Lost" });
    await page.goBack();
    await text("It is empty.");
    await service.ask(`mutation { deletePost(id: ${id}) { success } }`, { as: "ada" });
    await open("/trash", "Trash", "ada");
    await press("Delete for good");
    await press("Yes, delete it");
    await text("It is empty.");
    expect(await service.database.query("select from app_public.posts where id = $1", [id])).toEqual([]);
  },
);

testInBrowser("an editor's trash names the authors, who do not restore what an editor has deleted", async () => {
  const { data } = await service.ask(
    'mutation { createPost(input: { title: "Lost", content: "Found.", status: PUBLISHED }) { id } }',
    { as: "ada" },
  );
  const { id } = (data as any).createPost;
  try {
    await open(`/write/${id}`, "Edit", "admin");
    await press("Delete");
    await press("Delete it");
    await text("“Lost” is deleted.");
    await open("/trash", "Trash", "ada");
    await text("An editor has deleted it.");
    expect(await button("Restore").count()).toBe(0);
    expect(await page.getByText("By Ada").count()).toBe(0);
    await expectAccessible();
    await open("/trash", "Trash", "admin");
    await page.getByText("By Ada. Deleted").waitFor();
    await expectAccessible();
    await press("Restore");
    await heading("Edit");
    expect((await service.ask(`{ post(id: ${id}) { title } }`)).data).toEqual({ post: { title: "Lost" } });
  } finally {
    await service.database.query("delete from app_public.posts where id = $1", [id]);
  }
});

testInBrowser("who may not publish submits a post, an editor returns it with a note, and publishes it", async () => {
  await service.database.query("delete from app_hidden.role_rights where (role, may) = ('USER', 'PUBLISH')");
  try {
    await open("/write", "Write", "ada");
    await fill("Title", "Bread");
    await page.getByRole("textbox", { name: "Text", exact: true }).fill("Flour.");
    expect(await button("Publish").count()).toBe(0);
    await press("Submit for review");
    await heading("Edit");
    await text("Waits for review.");
    await expectAccessible();

    await open("/review", "Review", "admin");
    await page.getByRole("link", { name: "Bread" }).waitFor();
    await expectAccessible();
    await untilListening(5, service.app);
    const { data } = await service.ask(
      'mutation { createPost(input: { title: "Salt", content: "Sea.", status: SUBMITTED }) { id } }',
      { as: "bob" },
    );
    const salt = page.getByRole("link", { name: "Salt" });
    await salt.waitFor();
    const { x, width } = (await button("Sign out").boundingBox()) ?? { x: 0, width: 999 };
    expect(x + width).toBeLessThanOrEqual(360);
    await asBob(`updatePost(id: "${(data as any).createPost.id}", input: { status: DRAFT }) { id }`);
    await salt.waitFor({ state: "detached" });
    expect(sent()).toEqual(["Review", "Review", "Review"]);
    await page.getByRole("link", { name: "Bread" }).click();
    await heading("Edit");
    await press("Return to the author");
    await fill("What should change?", "More salt.");
    await press("Return it");
    await heading("Review");
    await page.getByRole("link", { name: "Bread" }).waitFor({ state: "detached" });

    await open("/notifications", "Notifications", "ada");
    await text("More salt.");
    await page.getByText("Grace has returned your post Bread").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Bread" }).click();
    await heading("This post has been returned");
    await expectAccessible();
    await press("Submit for review");
    await text("Waits for review.");

    await open("/review", "Review", "admin");
    await page.getByRole("link", { name: "Bread" }).click();
    await press("Publish");
    await heading("Bread");
    await page.goBack();
    await heading("Edit");
    await page.goBack();
    await text("Nothing waits for review.");
    await open("/notifications", "Notifications", "ada");
    await page.getByText("Grace has published your post Bread").waitFor();
  } finally {
    await service.database.query("insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH')");
    await service.database.query("delete from app_public.posts where title in ('Bread', 'Salt')");
  }
});

testInBrowser(
  "a user who may not publish keeps changes of a published post, and neither unpublishes it, also not with Enter, nor deletes it",
  async () => {
    const { data } = await service.ask(
      'mutation { createPost(input: { title: "Oven", content: "Hot.", status: PUBLISHED }) { id } }',
      { as: "ada" },
    );
    const { id } = (data as any).createPost;
    await service.database.query("delete from app_hidden.role_rights where (role, may) = ('USER', 'PUBLISH')");
    try {
      await open(`/write/${id}`, "Edit", "ada");
      await page.getByLabel("Title").fill("Ovens");
      await page.getByLabel("Title").press("Enter");
      // Enter would send UpdatePost at once, and stop the timer that keeps the changes.
      await text("Your changes are kept. Readers do not see them yet.");
      expect(sent()).toEqual(["EditPost", "SaveWorkingCopy"]);
      for (const name of ["Publish changes", "Back to draft", "Delete"]) expect(await button(name).count()).toBe(0);
    } finally {
      await service.database.query("insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH')");
      await service.database.query("delete from app_public.posts where id = $1", [id]);
    }
  },
);

testInBrowser("a queue that is longer than a page stays as it is when another post is submitted", async () => {
  const submit = (title: string) =>
    service.ask(`mutation { createPost(input: { title: "${title}", content: "Rye.", status: SUBMITTED }) { id } }`, {
      as: "bob",
    });
  try {
    for (let number = 1; number <= 21; number++) await submit(`Loaf ${number}`);
    await open("/review", "Review", "admin");
    await page.getByRole("link", { name: "Loaf 20", exact: true }).scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "Loaf 21", exact: true }).waitFor();
    await untilListening(5, service.app);
    await submit("Loaf 22");
    await page.getByRole("link", { name: "Loaf 22", exact: true }).waitFor();
    expect(await page.getByRole("article").count()).toBe(22);
    expect(sent()).toEqual(["Review", "Review", "Review"]);
  } finally {
    await service.database.query("delete from app_public.posts where title like 'Loaf %'");
  }
});

testInBrowser("a preview link shows a draft to whoever has it, until it is withdrawn", async () => {
  const { data } = await service.ask(
    'mutation { createPost(input: { title: "Soon", content: "Not *yet*." }) { id } }',
    {
      as: "ada",
    },
  );
  await open(`/write/${(data as any).createPost.id}`, "Edit", "ada");
  await press("Make a link");
  const link = page.getByRole("link", { name: "/preview#" });
  const url = (await link.getAttribute("href")) ?? "";
  await expectAccessible();
  const other = await browser.newContext();
  const stranger = await other.newPage();
  await stranger.goto(url);
  await stranger.getByRole("heading", { name: "Soon" }).waitFor();
  await stranger.getByText("Not yet.").waitFor();
  await press("Withdraw");
  await button("Withdraw").waitFor({ state: "detached" });
  await stranger.reload();
  await stranger.getByRole("heading", { name: "This preview has ended" }).waitFor();
  await other.close();
});

testInBrowser("a profile is edited; others are followed", async () => {
  await open("/users/1", "Ada", "ada");
  await page.getByText("Edit your profile").click();
  await fill("About you", "Bakes.");
  await fill("URL of your picture", "http://example.com/ada.png");
  await press("Save");
  await page.getByText("An avatar is a URL that begins with https://.").waitFor();
  expect(await focused()).toBe("URL of your picture");
  expect(await page.getByRole("alert").count()).toBe(0);
  await expectAccessible();
  await fill("URL of your picture", "");
  await press("Save");
  await text("Saved.");
  expect(sent()).toEqual(["Profile", "UpdateProfile", "UpdateProfile"]);

  await page.goto(`${origin}/users/2`);
  await press("Follow");
  await button("Unfollow").waitFor();
  expect(await focused()).toBe("Unfollow");
  await press("Unfollow");
  await button("Follow").waitFor();
  expect(sent()).toEqual(["Profile", "Follow", "Unfollow"]);
});

testInBrowser("chats count unread messages as they come, and a chat shows them", async () => {
  await open("/chats", "Chats", "ada");
  await page.getByText("Bob: Is anybody up?").waitFor();
  await untilListening(3, service.app);
  await asBob('sendMessage(chatId: "1", text: "The oven is hot.") { id }');
  await tell();
  await page.getByText("Bob: The oven is hot.").waitFor();
  await page.getByText("2 unread").waitFor();
  await page.getByRole("link", { name: /Chats.*1.*unread/ }).waitFor();
  await expectAccessible();
  expect(sent()).toEqual(["Chats"]);

  await page.getByRole("link", { name: "Bakers" }).click();
  await text("The oven is hot.");
  await untilListening(5, service.app);
  await asBob('sendMessage(chatId: "1", text: "Hello?") { id }');
  await text("Hello?");
  await fill("Message", "Coming.");
  await press("Send");
  await text("Coming.");
  expect(await focused()).toBe("Message");
  await expectAccessible();
  expect(sent()).toEqual(["Chat", "MarkChatRead", "MarkChatRead", "Send"]);
  const log = page.getByRole("log");
  expect(await log.locator("p").first().textContent()).toBe("Coming.");
  await log.getByRole("button", { name: "Edit" }).first().click();
  await fill("New text", "Coming!");
  await press("Save");
  await page.getByText("edited", { exact: true }).waitFor();
  await press("Close");
  await log.getByRole("button", { name: "Delete" }).nth(1).click();
  await press("Delete for good");
  await text("[erased]");
  expect(sent()).toEqual(["EditMessage", "DeleteMessage"]);
  await log.focus();
  await page.keyboard.press("Home");
  await text("Loaf 1");
  expect(sent()).toEqual(["Chat"]);
  await menu("Chats");
  await page.getByText("You: Coming!").waitFor();
  await tell();
  await page.getByRole("link", { name: /Chats.*unread/ }).waitFor({ state: "detached" });
  await page.getByRole("listitem").getByText("unread").waitFor({ state: "detached" });

  await page.goto(`${origin}/users/2`);
  await press("Chat");
  await heading("Bob");
  await page.getByLabel("Message").waitFor();
  expect(sent()).toEqual(["Chats", "Profile", "OpenDirectChat", "Chat"]);
});

/** A direct chat of Ada and Bob, as each of them sees it. @returns its path */
async function directChat(): Promise<string> {
  const { data } = await service.ask('mutation { openDirectChat(userId: "2") { id } }', { as: "ada" });
  const { id } = data.openDirectChat;
  await service.database.query(
    `insert into app_public.messages (chat_id, sender_id, text)
     select $1, 1 + n % 2, repeat('Loaf ' || n || '. ', 1 + n % 7 * 5) from generate_series(1, 40) n`,
    [id],
  );
  return `/chats/${id}`;
}

testInBrowser("a chat fills the window, and cuts no message in two", async () => {
  const path = await directChat();
  for (const [width, height] of [
    [1280, 800],
    [360, 720],
    [360, 500],
  ] as const) {
    await page.setViewportSize({ width, height });
    await open(path, "Bob", "ada");
    await page.getByText("Loaf 40.").first().waitFor();
    const nav = width === 360 ? "nav[aria-label=Main]" : "html";
    const [header, title, box, form, below] = await boxesOf("header", "h1", ".messages", "main form", nav);
    const bottom = width === 360 ? below.top : height;
    // Nothing is left free but the margins, and the page does not scroll.
    expect(title.top - header.bottom).toBeLessThan(32);
    expect(box.top - title.bottom).toBeLessThan(32);
    expect(form.top - box.bottom).toBeLessThan(32);
    expect(bottom - form.bottom).toBeGreaterThan(0);
    expect(bottom - form.bottom).toBeLessThan(32);
    expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
    for (const scroll of [0, -37, -400]) {
      await page.evaluate(`document.querySelector(".messages").scrollTop = ${scroll}`);
      // A message of which the box has only a part is not to be seen, unless it is higher than the box.
      await page.waitForFunction(`(() => {
        const box = document.querySelector(".messages").getBoundingClientRect();
        const cut = [...document.querySelectorAll(".message")].filter((one) => {
          const { top, bottom } = one.getBoundingClientRect();
          const isPart = bottom > box.top + 1 && top < box.bottom - 1 && (top < box.top - 1 || bottom > box.bottom + 1);
          return isPart && bottom - top < box.height - 2;
        });
        return cut.every((one) => getComputedStyle(one).opacity === "0");
      })()`);
    }
    await expectAccessible();
  }
  // The other's name stands above the messages, and not beside each.
  const shown = "[...document.querySelectorAll('.caption > :first-child')].filter((one) => one.clientWidth > 1).length";
  expect(await page.evaluate(shown)).toBe(0);
  await open("/chats/1", "Bakers", "ada");
  await text("You, Bob");
  await page.locator(".caption").getByText("Bob").first().waitFor();
  expect(await page.evaluate<number>(shown)).toBe(1);
});

testInBrowser("a message is changed by buttons that appear on it, and are always there on a touch screen", async () => {
  const path = await directChat();
  await open(path, "Bob", "ada");
  const edit = page.locator(".mine button").first();
  const opacity = () => page.evaluate('getComputedStyle(document.querySelector(".mine button")).opacity');
  expect(await opacity()).toBe("0");
  await page.locator(".mine").first().hover();
  expect(await opacity()).toBe("1");
  await page.locator("h1").hover();
  expect(await opacity()).toBe("0");
  await edit.focus();
  expect(await opacity()).toBe("1");
  // A touch screen has no hover.
  const phone = await openWindow("ada", { hasTouch: true, isMobile: true });
  await phone.goto(origin + path);
  await phone.locator(".mine button").first().waitFor();
  expect(await phone.evaluate("getComputedStyle(document.querySelector('.mine button')).opacity")).toBe("1");
  await phone.context().close();
});

testInBrowser("a group is begun with people who are found by name, and its time stands in the list", async () => {
  await open("/chats", "Chats", "ada");
  await page.getByRole("link", { name: "New group" }).click();
  await heading("New group");
  expect(sent()).toEqual(["Chats", "People"]);
  await press("Begin the chat");
  // A group needs a member, the browser says.
  expect(await page.locator("input[type=checkbox]:invalid").count()).toBeGreaterThan(0);
  await fill("Title", "Millers");
  await fill("Find people", "Gra");
  await page.getByLabel("Bob").waitFor({ state: "detached" });
  await page.getByLabel("Grace").check();
  await fill("Find people", "Bo");
  await page.getByLabel("Bob").check();
  expect(await page.getByLabel("Grace").isChecked()).toBe(true);
  await expectAccessible();
  sent();
  await press("Begin the chat");
  await heading("Millers");
  await text("You, Bob, Grace");
  expect(sent()).toEqual(["CreateChat", "Chat"]);
  await menu("Chats");
  await page.getByRole("link", { name: "Millers" }).waitFor();
  await expectAccessible();
  const [row, name, time] = await boxesOf("li", "li .name", "li time");
  expect(row.right - time.right).toBeLessThan(1);
  expect(time.left).toBeGreaterThan(name.right);
  expect(Math.abs(time.bottom - name.bottom)).toBeLessThan(4);
  expect(await page.locator("li time").first().innerText()).toMatch(/^\d+:\d\d [AP]M$/);
});

testInBrowser("a message whose response was lost is sent once", async () => {
  await open("/chats/1", "Bakers", "ada");
  await page.route("**/graphql", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await fill("Message", "Once only");
  await press("Send");
  await page.getByRole("alert").waitFor();
  await page.unroute("**/graphql");
  await press("Send");
  await page.waitForFunction("document.querySelector('textarea').value === ''");
  expect(await service.database.query("select from app_public.messages where text = 'Once only'")).toHaveLength(1);
});

testInBrowser("notifications are counted in the menu until they are seen", async () => {
  // Of the decision about Ada's report.
  await service.database.query("delete from app_public.notifications");
  await open("/", "Post 1", "ada");
  await untilListening(3, service.app);
  await asBob('followUser(userId: "1") { user { id } }');
  await page.getByText("1 unread").waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
  await expectAccessible();
  expect(sent()).toEqual(["Feed"]);
  await menu("Notifications");
  await page.getByText("follows you").waitFor();
  await asBob('createComment(input: { postId: "1", replyToId: "1", text: "A second one" }) { id }');
  await text("A second one");
  // The badge and the list agree, as long as the reader is here.
  await page.getByText("2 unread").waitFor();
  expect(await page.locator("li").getByText("New", { exact: true }).count()).toBe(2);
  await expectAccessible();
  const [avatar, mark, name, post] = await boxesOf("li .avatar", "li .badge", "li .name", "li p > a:last-child");
  expect([avatar.right < mark.left, mark.right < name.left, name.right < post.left]).toEqual([true, true, true]);
  expect(post.bottom).toBeCloseTo(name.bottom, 1);
  expect(sent()).toEqual(["Notifications"]);
  await menu("Chats");
  await page.getByText("2 unread").waitFor({ state: "detached" });
  await page.goBack();
  await text("A second one");
  expect(await page.locator("li").getByText("New", { exact: true }).count()).toBe(0);
  expect(sent()).toEqual(["MarkNotificationsRead", "Chats"]);
  await page.setViewportSize({ width: 360, height: 720 });
});

testInBrowser("the newest posts are an RSS feed", async () => {
  await asBob('updatePost(id: "1", input: { excerpt: "Salt & **water**, 1 < 2\\u0007", tags: ["bread"] }) { id }');
  const response = await fetch(`${origin}/feed.xml`);
  expect(response.headers.get("content-type")).toBe("application/rss+xml; charset=utf-8");
  await open("/", "Post 1");
  expect(await page.locator("link[type='application/rss+xml']").getAttribute("href")).toBe("/feed.xml");
  // The browser's parser refuses what is not well-formed.
  const items = await page.evaluate(`
    [...new DOMParser().parseFromString(${JSON.stringify(await response.text())}, "application/xml").querySelectorAll("item")]
      .map((item) => Object.fromEntries([...item.children].map(({ tagName, textContent }) => [tagName, textContent])))`);
  expect(items).toHaveLength(20);
  expect(items).toContainEqual({
    title: "Post 1",
    link: `${origin}/posts/post-1-1`,
    guid: `${origin}/posts/post-1-1`,
    pubDate: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
    "dc:creator": "Bob",
    // As HTML, as feed readers expect it.
    description: "Salt &amp; water, 1 &lt; 2",
    category: "bread",
  });
});

/* docs/pictures/film-strip.png has the pictures of this test. */
testInBrowser("two people in two windows write, conflict, comment, chat and moderate", async () => {
  const [ada, grace] = await Promise.all([openWindow("ada"), openWindow("admin")]);
  const strip = new FilmStrip([ada, grace]);
  const opened = () =>
    service.logged.filter(({ msg, operation }) => msg === "operation" && operation === "CommentAdded").length;
  const before = opened();
  const posts = [
    ["Post 1", "The smallest bakery in town", "One oven, two people, and a queue at six."],
    ["Post 2", "What the miller knows", "Flour is **alive**. Ask it how it has slept."],
    ["Post 3", "A loaf for Sunday", "Begin on Friday. It is less work than it sounds."],
  ];
  for (const post of posts) {
    await service.database.query(
      "update app_public.posts set title = $2, content = $3, excerpt = null where title = $1",
      post,
    );
  }

  await ada.goto(`${origin}/write`);
  await ada.getByLabel("Title").fill("On rye");
  await ada.getByRole("textbox", { name: "Text", exact: true }).fill("Rye wants **time**.\n\n> Wait, then wait again.");
  await ada.getByLabel("Tags").fill("bread, rye");
  await grace.goto(origin);
  await grace.getByText("Flour is alive. Ask it how it has slept.").waitFor();
  await strip.take("Ada writes. Grace, an editor, reads the feed.", "feed");

  await ada.getByRole("button", { name: "Publish" }).click();
  await ada.getByRole("heading", { name: "On rye" }).waitFor();
  await grace.reload();
  await grace.getByRole("link", { name: "On rye" }).click();
  await grace.getByText("Wait, then wait again.").waitFor();
  await until(() => opened() === before + 2);
  await strip.take("Ada publishes, and Grace opens the post.");

  await Promise.all([ada, grace].map((window) => window.getByRole("link", { name: "Edit" }).click()));
  await grace.getByRole("heading", { name: "Edit" }).waitFor();
  const id = ada.url().split("/").at(-1);
  await ada.getByRole("textbox", { name: "Text", exact: true }).fill("Rye wants **a day**.");
  await grace.getByLabel("Title").fill("On rye bread");
  await grace.getByRole("button", { name: "Publish changes" }).click();
  await grace.getByRole("heading", { name: "On rye bread" }).waitFor();
  await ada.getByRole("button", { name: "Publish changes" }).click();
  await ada.getByRole("heading", { name: "This post has changed since you opened it" }).waitFor();
  await ada.evaluate("scrollTo(0, 0)");
  await strip.take("Both edit. Grace is first: Ada sees that, and both versions.", "conflict");

  await ada.getByLabel("Title").fill("On rye bread");
  await ada.getByRole("button", { name: "Publish changes" }).click();
  await ada.getByRole("heading", { name: "On rye bread" }).waitFor();
  await until(() => opened() === before + 4);
  await grace.getByLabel("Your comment").fill("How long in the oven?");
  await grace.getByRole("button", { name: "Send" }).click();
  await ada.getByText("How long in the oven?").waitFor();
  await ada.getByRole("button", { name: "Reply to Grace" }).click();
  await ada.getByLabel("Your reply").fill("An hour.");
  await ada.getByLabel("Your reply").press("Tab");
  await ada.keyboard.press("Enter");
  await grace.getByText("An hour.").waitFor();
  await grace.getByRole("link", { name: /Notifications \d+ unread/ }).waitFor();
  await strip.take("Comments, replies and notifications arrive as they are written.");

  await ada.goto(`${origin}/users/3`);
  await ada.getByRole("button", { name: "Chat" }).click();
  await ada.getByLabel("Message").fill("Lunch at noon?");
  await ada.getByRole("button", { name: "Send" }).click();
  await ada.getByRole("log").getByText("Lunch at noon?").waitFor();
  await grace.goto(`${origin}/chats`);
  await grace.getByRole("main").getByText("1 unread").waitFor();
  await strip.take("Ada writes to Grace, whose inbox counts it.");

  await grace.getByRole("link", { name: "Ada" }).first().click();
  await grace.getByRole("log").getByText("Lunch at noon?").waitFor();
  await grace.getByLabel("Message").fill("I bring the rye.");
  await grace.getByRole("button", { name: "Send" }).click();
  await ada.getByRole("log").getByText("I bring the rye.").waitFor();
  await grace.getByRole("log").getByText("I bring the rye.").waitFor();
  await strip.take("They chat.", "chat");

  await asBob(`createComment(input: { postId: "${id}", text: "Buy my oven! Cheap!" }) { id }`);
  await ada.goto(`${origin}/posts/on-rye`);
  await ada.getByText("Buy my oven!").waitFor();
  await ada.getByRole("button", { name: "Report" }).last().click();
  await ada.getByLabel("Why?").fill("An advertisement");
  await ada.getByRole("dialog").getByRole("button", { name: "Report" }).click();
  await ada.getByText("Thank you").waitFor();
  await grace.goto(`${origin}/reports`);
  await grace.getByText("An advertisement").waitFor();
  await strip.take("Ada reports a comment, and Grace finds it in her queue.");

  await grace.getByRole("button", { name: "Delete it" }).click();
  await grace.getByText("Nothing is left to decide.").waitFor();
  await ada.reload();
  await ada.getByText("An hour.").waitFor();
  expect(await ada.getByText("Buy my oven!").count()).toBe(0);
  await ada.getByText("An hour.").scrollIntoViewIfNeeded();
  await strip.take("Grace deletes it. The comment is gone.");
  await strip.develop("film-strip");
});

/** A window of a browser of that person's own. */
async function openWindow(person: Person, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 400, height: 640 }, ...options });
  const window = await context.newPage();
  window.setDefaultTimeout(10_000);
  await window.goto(`${origin}/feed.xml`);
  await window.evaluate(`Object.assign(localStorage, ${JSON.stringify(await storageOf(person))})`);
  return window;
}
