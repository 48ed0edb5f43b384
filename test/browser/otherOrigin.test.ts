import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import type { Browser, Page } from "playwright-core";
import type { TestDatabase } from "../support/database.ts";
import { untilListening, useService } from "../support/service.ts";
import type { ClientName } from "./page/clients.ts";
import type { WindowName } from "./page/windows.ts";
import { hasBrowser, openBrowser } from "./support/openBrowser.ts";

/* The clients that pages use, in a browser, on a page of another origin than the service. */
// Skipped where no browser is installed: hasBrowser says what to install.
const testInBrowser = hasBrowser ? test : test.skip;

const built = mkdtempSync(join(tmpdir(), "content-service-page-"));
const root = fileURLToPath(new URL("../../", import.meta.url));
const args = ["build", "test/browser/page", "--outDir", built, "--emptyOutDir", "--logLevel", "error"];

/** Serves the page, on a port of its own. */
async function serve({ ends }: TestDatabase): Promise<string> {
  const server = createServer(express().use(express.static(built))).listen(0, "127.0.0.1");
  ends.defer(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
// In a hook, since nothing ends what a file starts whose tests are all skipped.
const service = useService({}, async (database) => {
  execFileSync(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), ...args], { cwd: root });
  [allowed, foreign] = [await serve(database), await serve(database)];
  return { corsOrigins: [allowed] };
});
let allowed: string;
let foreign: string;
let browser: Browser;

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
    insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Seen'), (1, 1, 'Missed');
    insert into app_public.posts (author_id, title, content, status) values (1, 'Bread', 'Rye.', 'PUBLISHED');
    update app_private.accounts set password_hash = app_private.password_hash('sample password', app_hidden.gen_salt('bf', 4));
  `);
  if (hasBrowser) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  rmSync(built, { recursive: true });
});

async function open(origin: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(origin);
  await page.waitForFunction("globalThis.clients");
  return page;
}

async function use(page: Page, client: ClientName): Promise<unknown> {
  const call = [client, service.url, await service.tokenOf("ada")].map((text) => JSON.stringify(text));
  return page.evaluate(`clients[${call[0]}](${call[1]}, ${call[2]})`);
}

testInBrowser.each<ClientName>(["graphql-ws", "Apollo Client", "urql"])("%s queries and subscribes", async (client) => {
  expect(await use(await open(allowed), client)).toMatchObject({
    me: { name: "Ada" },
    messageAdded: { id: "2", text: "Missed" },
  });
  await untilListening(0, service.app);
});

testInBrowser("fetch queries, and reads the id of its request", async () => {
  const answer = await use(await open(allowed), "fetch");
  expect(answer).toEqual({ me: { name: "Ada" }, requestId: expect.any(String) });
});

testInBrowser.each<ClientName>(["fetch", "graphql-ws"])("%s fails on a page of any other origin", async (client) => {
  await expect(use(await open(foreign), client)).rejects.toThrow();
});

const inWindow = (page: Page, program: string) => page.evaluate(program) as Promise<unknown>;
/** Waits until a window shows these comments, and no others. */
const shows = (page: Page, ...texts: string[]) =>
  page.waitForFunction(`JSON.stringify(globalThis.shown) === '${JSON.stringify([texts.length, texts])}'`);

testInBrowser.each<WindowName>(["Apollo Client", "graphcache", "Relay"])(
  "two windows with %s show a comment once, and a deleted one nowhere; a reload keeps the session",
  async (name) => {
    await service.database.query("delete from app_public.comments");
    const windows = await Promise.all(
      ["ada", "bob"].map(async (person) => {
        const page = await (await browser.newContext()).newPage();
        page.setDefaultTimeout(10_000);
        await page.goto(allowed);
        await page.waitForFunction("globalThis.signIn");
        await inWindow(page, `signIn("${service.url}", "${person}@example.com", "sample password")`);
        await page.reload();
        await page.waitForFunction("globalThis.openWindow");
        await inWindow(page, `openWindow("${name}", "${service.url}")`);
        return page;
      }),
    );
    const [ada, bob] = windows as [Page, Page];
    const show = (...texts: string[]) => Promise.all(windows.map((page) => shows(page, ...texts)));
    await show();
    await untilListening(4, service.app);
    await inWindow(ada, 'write("Mine")');
    await show("Mine");
    await inWindow(bob, 'write("Yours")');
    await show("Mine", "Yours");
    const [{ id } = {}] = await service.database.query("select id from app_public.comments where text = 'Mine'");
    await inWindow(ada, `session.ask('mutation Drop { deleteComment(id: ${id}) { id } }')`);
    await show("Yours");
    for (const page of windows) await page.context().close();
    await untilListening(0, service.app);
  },
);
