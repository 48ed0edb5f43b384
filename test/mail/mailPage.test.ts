import { request } from "node:http";
import { text } from "node:stream/consumers";
import { useService } from "../support/service.ts";

/* In development, a page shows the mails that nobody sends. */
const token = "abcdef0123456789";
const development = useService();

const ask = (headers?: Record<string, string>, more = "") => get(development.app.mailsUrl + more, headers);
const get = (url: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    request(url, { headers }, async (response) =>
      resolve({ status: response.statusCode ?? 0, body: await text(response) }),
    )
      .on("error", reject)
      .end();
  });

const plain = (html: string) => html.replaceAll("&#x2F;", "/").replaceAll("&#x3D;", "=");

beforeAll(() =>
  development.database.query(
    `insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
     values ('VERIFY_EMAIL', 1, 'ada&co@example.com', '${token}', now() + interval '1 hour'), ('RESET_PASSWORD', null, null, null, now() + interval '1 hour')`,
  ),
);

test("it has each mail with its link, to GraphiQL or to the pages that ask", async () => {
  const shown = await ask();
  expect(shown.status).toBe(200);
  expect(shown.body.match(/<article>/g)).toHaveLength(1);
  expect(shown.body).toContain("ada&amp;co@example.com");
  const [, href = ""] = /href="([^"]+)"/.exec(shown.body) ?? [];
  expect(decodeURIComponent(plain(href))).toContain(
    `/graphql#query=mutation ConfirmEmail {\n  confirmEmail(token: "${token}")`,
  );
  const linked = await ask({}, "&app=http://localhost:5173");
  expect(plain(linked.body)).toContain(`href="http://localhost:5173/confirm-email#${token}"`);
  const other = await ask({}, "&app=https://example.com");
  expect(other.body).not.toContain("example.com/confirm-email");
  // It stays in the outbox.
  expect(await development.database.query("select from app_private.take_mail()")).toHaveLength(1);
});

test.each([
  ["of a proxy", { "x-forwarded-for": "192.0.2.1" }],
  ["of a page whose name leads here", { host: "evil.example" }],
  ["of a page whose name looks like one of here", { host: "localhost.evil.example" }],
])("a request %s finds nothing", async (_whose, headers) => {
  const { status, body } = await ask(headers);
  expect([status, body]).toEqual([404, expect.not.stringContaining(token)]);
});

test("a proxy of this machine, which tells nothing of its clients, does not open it without the key", async () => {
  const { url, mailsUrl } = development.app;
  const key = new URL(mailsUrl).searchParams.get("key") ?? "";
  expect(key).toMatch(/^[\da-f]{32}$/);
  for (const query of [
    "",
    "?key=",
    "?key=x",
    `?key=${key}x`,
    `?key=${key.slice(1)}`,
    `?key=x&key=${key}`,
    `?Key=${key}`,
  ]) {
    expect([query, (await get(`${url}/mails${query}`)).status]).toEqual([query, 404]);
  }
  const front = await get(`${url}/`, { accept: "text/html" });
  expect(front.body).toContain("at the link that the start has printed");
  expect(`${front.body} ${JSON.stringify(development.logged)}`).not.toContain(key);
});

describe("in production", () => {
  const production = useService({ environment: "production", isProduction: true });
  test("there is no such page", async () => {
    expect((await get(production.app.mailsUrl)).status).toBe(404);
    expect((await get(`${production.app.url}/`, { accept: "text/html" })).body).not.toContain("Mails");
  });
});
