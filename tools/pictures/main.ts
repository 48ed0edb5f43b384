import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../../test/browser/support/openBrowser.ts";

/* npm run pictures: ten screens of the example, of GraphiQL and of the site, in both themes, on a desktop and on a phone. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const site = join(root, "site/dist");
const folder = join(root, "docs/pictures/screens");
const siteOrigin = "http://docs.example";
const sizes = [
  { width: 1280, height: 800 },
  { width: 360, height: 720 },
];

if (!existsSync(site)) {
  console.error("The site is not built: npm run docs");
  process.exit(2);
}
const data = mkdtempSync(join(tmpdir(), "content-service-pictures-"));
const example = spawn(process.execPath, [join(root, "examples/web/start.ts")], {
  env: { ...process.env, DATA_DIR: data, PORT: "0" },
});
const output = await new Promise<string>((resolve, reject) => {
  let text = "";
  example.stdout.on("data", (chunk) => {
    text += chunk;
    if (/Example +http/.test(text)) resolve(text);
  });
  example.once("exit", () => reject(new Error(text)));
});
const urlAfter = (name: string) => new RegExp(`${name} +(http\\S+)`).exec(output)?.[1] as string;
const origin = new URL(urlAfter("Example")).origin;

const browser = await openBrowser();
mkdirSync(folder, { recursive: true });
try {
  const { storageState, postId, chatId } = await signIn(browser);
  /** The URL of a screen, and an element that is there when it is whole. */
  const screens: Record<string, [url: string, whole: string]> = {
    home: [`${origin}/`, "article"],
    post: [`${origin}/posts/what-a-bridge-says-at-night`, "article, h1"],
    search: [`${origin}/search/bridge`, "mark"],
    chat: [`${origin}/chats/${chatId}`, "textarea"],
    notifications: [`${origin}/notifications`, "main li"],
    profile: [`${origin}/users/1`, "article"],
    editor: [`${origin}/write/${postId}`, "textarea"],
    graphiql: [urlAfter("GraphQL"), ".graphiql-query-editor .view-lines"],
    site: [`${siteOrigin}/index.html`, "h1"],
    architecture: [`${siteOrigin}/database/architecture.html`, ".diagram svg"],
  };
  for (const colorScheme of ["light", "dark"] as const) {
    for (const viewport of sizes) {
      const context = await browser.newContext({ storageState, colorScheme, viewport });
      await context.route(`${siteOrigin}/**`, (route) =>
        route.fulfill({ path: join(site, new URL(route.request().url()).pathname) }),
      );
      for (const [name, [url, whole]] of Object.entries(screens)) {
        const page = await context.newPage();
        await page.goto(url);
        await page.locator(whole).first().waitFor();
        // Pictures that cannot be loaded are replaced by initials.
        await page.waitForFunction("[...document.images].every(({ naturalWidth }) => naturalWidth > 0)");
        if (name === "graphiql") await runOperation(page);
        writeFileSync(join(folder, `${name}-${colorScheme}-${viewport.width}.webp`), await pictureOf(page));
        await page.close();
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  example.removeAllListeners("exit").kill();
  await once(example, "exit");
  rmSync(data, { recursive: true, force: true });
}

/** Signs a sample user in. @returns what is left in the browser, and what that user can open */
async function signIn(browser: Browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("sample password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("article").first().waitFor();
  const query = "{ me { postsConnection(first: 1) { nodes { id } } inboxConnection(first: 1) { nodes { chatId } } } }";
  const token = await page.evaluate("JSON.parse(localStorage.session).accessToken");
  const response = await fetch(`${origin}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { me } = ((await response.json()) as { data: { me: Record<string, { nodes: Record<string, string>[] }> } })
    .data;
  const storageState = await context.storageState();
  await context.close();
  return {
    storageState,
    postId: me["postsConnection"]?.nodes[0]?.["id"],
    chatId: me["inboxConnection"]?.nodes[0]?.["chatId"],
  };
}

async function runOperation(page: Page): Promise<void> {
  await page.click(".graphiql-execute-button");
  await page.locator(".graphiql-response").filter({ hasText: "data" }).waitFor();
}

/** As WebP, which a canvas writes. Desktops are three quarters as large, so that all pictures together stay below 800 KB. */
async function pictureOf(page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString("base64");
  const blank = await page.context().newPage();
  const url = await blank.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png}";
    await image.decode();
    const scale = image.width > 1000 ? 0.75 : 1;
    const canvas = document.createElement("canvas");
    canvas.width = image.width * scale;
    canvas.height = image.height * scale;
    const context = canvas.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", 0.5);
  })()`);
  await blank.close();
  return Buffer.from(url.split(",")[1] as string, "base64");
}
