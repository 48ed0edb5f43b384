import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocketServer } from "node:net";
import { after, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { printable } from "@content-service/support/printable.ts";
import { startDatabase } from "@content-service/testing/database.ts";
import { Random } from "@content-service/testing/Random.ts";
import { type WebhookMessage, WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import pg from "pg";
import { installChangeFeed, WebhookSender, type WebhookSettings } from "../index.ts";
import { verdictOf } from "../responses.ts";
import { makeCertificate } from "./makeCertificate.ts";

/* Changes go to real HTTP servers: in order for each key, none lost, signed, and only what the role of the webhook may see. */
const database = await startDatabase(`
  create role feed_login login noinherit;
  create role visitor;
  create role member;
  create role hook;
  grant visitor, member, hook to feed_login;
  create table items (id int generated always as identity primary key, shop int not null, name text not null, cost int not null default 7, is_open boolean not null default true);
  create index on items (shop);
  grant select (id, shop, name, is_open) on items to hook;
  alter table items enable row level security;
  create policy open on items to hook using (is_open);
`);
after(() => database[Symbol.asyncDispose]());
const owner = await database.connect();
await installChangeFeed(owner, { roles: { login: "feed_login", anonymous: "visitor", member: "member" } });
const logged: object[] = [];
const note = (details: object) => void logged.push(details);
const log = { info() {}, warn: note, error: note };
const pool = new pg.Pool({ connectionString: database.urlOf("feed_login"), max: 4 });
// The database ends first.
pool.on("error", () => {});
after(() => pool.end());

const settings: WebhookSettings = {
  log,
  privateAddresses: ["127.0.0.1"],
  pauseMs: 5,
  firstRetryMs: 1,
  timeoutMs: 2_000,
};
const send = (more: Partial<WebhookSettings> = {}) => {
  const sender = new WebhookSender(pool, { ...settings, ...more }).start();
  return Object.assign(sender, { [Symbol.asyncDispose]: () => sender.stop() });
};

async function hook(
  name: string,
  receiver: WebhookReceiver | string,
  kinds = "{added,updated,deleted}",
  key: string | null = "shop",
) {
  const url = typeof receiver === "string" ? receiver : receiver.url;
  const [made] = await database.query<{ secret: string }>(
    "select change_feed.webhook($1, 'items', $2, $3, 'hook', key_column => $4) as secret",
    [name, kinds, url, key],
  );
  if (typeof receiver !== "string") receiver.secret = made?.secret as string;
}
const statusOf = async (name: string) =>
  (await database.query<Record<string, any>>("select * from change_feed.webhook_status where name = $1", [name]))[0] ??
  {};
const isEmpty = async (name: string) => Number((await statusOf(name))["waiting"]) === 0;

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}
const namesOf = (messages: WebhookMessage[], key: string) =>
  messages
    .filter(({ data }) => data.key === key)
    .map(({ type, data }) => `${type.split(".").at(-1)} ${data.row?.["name"] ?? data.id}`);

beforeEach(async () => {
  await database.query("delete from change_feed.webhooks; delete from items");
  logged.length = 0;
});

test("each change arrives once, signed, in order for each key, with the row as the role may see it", async () => {
  await using receiver = await new WebhookReceiver().start();
  await hook("one", receiver);
  await using _sender = send();
  const [item] = await database.query<{ id: number }>("insert into items (shop, name) values (1, 'a') returning id");
  await database.query("insert into items (shop, name) values (1, 'b'), (2, 'c')");
  await database.query("insert into items (shop, name, is_open) values (1, 'hidden', false)");
  await until(() => isEmpty("one"));
  await database.query("update items set name = 'd' where name = 'a'");
  await until(() => isEmpty("one"));
  await database.query("delete from items where name = 'd'");
  await until(() => isEmpty("one"));
  assert.deepEqual(namesOf(receiver.messages, "1"), ["added a", "added b", "updated d", `deleted ${item?.id}`]);
  assert.deepEqual(namesOf(receiver.messages, "2"), ["added c"]);
  assert.ok(receiver.messages.every(({ isVerified }) => isVerified));
  assert.equal(new Set(receiver.messages.map(({ id }) => id)).size, 5);
  assert.deepEqual(receiver.messages.find(({ data }) => data.key === "1")?.data.row, {
    id: item?.id,
    shop: 1,
    name: "a",
    is_open: true,
  });
  assert.equal((await statusOf("one"))["url"], receiver.url.replace(/\?.*/, "?…"));
});

test("an endpoint that fails at random loses nothing and keeps the order of each key; another one does not notice", async () => {
  await using flaky = await new WebhookReceiver().start();
  await using calm = await new WebhookReceiver().start();
  const random = new Random(48);
  flaky.respond = (_message, response) => {
    const luck = random.below(4);
    if (luck === 0) response.statusCode = 503;
    if (luck === 1) response.destroy();
  };
  await hook("flaky", flaky, "{added}");
  await hook("calm", calm, "{added}");
  await using _one = send();
  await using _two = send();
  for (let turn = 0; turn < 10; turn++) {
    await database.query("insert into items (shop, name) select n % 5, $1 || '-' || n from generate_series(0, 9) n", [
      `${turn}`,
    ]);
  }
  await until(async () => (await isEmpty("flaky")) && (await isEmpty("calm")));
  for (let key = 0; key < 5; key++) {
    const written = Array.from({ length: 10 }, (_, turn) => [
      `added ${turn}-${key}`,
      `added ${turn}-${key + 5}`,
    ]).flat();
    // Once the same event has arrived twice, for a response that was lost, the first counts.
    assert.deepEqual([...new Set(namesOf(flaky.messages, `${key}`))], written);
    assert.deepEqual(namesOf(calm.messages, `${key}`), written);
  }
});

test("an event that the endpoint refuses holds up its key only, until it is given up; a replay sends it with its id", async () => {
  await using receiver = await new WebhookReceiver().start();
  const refused: string[] = [];
  const [{ now } = { now: "" }] = await database.query<{ now: string }>("select clock_timestamp()::text as now");
  receiver.respond = ({ id, data }, response) => {
    if (data.row?.["name"] !== "poison" || refused.length > 100) return;
    refused.push(id);
    response.statusCode = 422;
    response.write("I do not like poison");
  };
  await hook("poison", receiver, "{added}");
  await using _sender = send();
  await database.query("insert into items (shop, name) values (1, 'poison'), (1, 'after it'), (2, 'beside it')");
  await until(() => receiver.messages.length === 1 && refused.length > 3);
  assert.deepEqual(
    receiver.messages.map(({ data }) => data.row?.["name"]),
    ["beside it"],
  );
  await until(async () => (await statusOf("poison"))["last_error"] === "422 I do not like poison");
  await database.query("update change_feed.webhooks set give_up_after = '0'");
  await until(async () => receiver.messages.length === 2);
  assert.deepEqual(namesOf(receiver.messages, "1"), ["added after it"]);
  assert.equal((await statusOf("poison"))["given_up"], "1");
  receiver.respond = () => {};
  // What has arrived is settled a moment later.
  await until(() => isEmpty("poison"));
  assert.deepEqual(await database.query("select change_feed.replay_webhook('poison', $1)::int as events", [now]), [
    { events: 3 },
  ]);
  await until(() => receiver.messages.length === 5);
  assert.equal(receiver.messages.find(({ data }) => data.row?.["name"] === "poison")?.id, refused[0]);
});

test("a dead endpoint is left alone for longer and longer, and keeps its place; a paused one too", async () => {
  await using receiver = await new WebhookReceiver().start();
  await hook("dead", "http://127.0.0.1:1/");
  await using sender = send({ firstRetryMs: 20 });
  await database.query("insert into items (shop, name) values (1, 'a'), (2, 'b')");
  await until(async () => Number((await statusOf("dead"))["failures"]) > 5);
  await hook("dead", receiver);
  await until(() => receiver.messages.length === 2);
  await database.query("update change_feed.webhooks set is_paused = true");
  await database.query("insert into items (shop, name) values (1, 'c')");
  await until(async () => Number((await statusOf("dead"))["waiting"]) === 1);
  sender.wake();
  await database.query("update change_feed.webhooks set is_paused = false");
  await until(() => receiver.messages.length === 3);
});

test("a key belongs to one sender at a time, and goes to another when that one stops", async () => {
  await using receiver = await new WebhookReceiver().start();
  const held = Promise.withResolvers<void>();
  const called: string[] = [];
  receiver.respond = async ({ data }) => {
    called.push(data.key);
    if (called.length === 1) await held.promise;
  };
  await hook("held", receiver);
  const first = send();
  await database.query("insert into items (shop, name) values (1, 'a'), (1, 'b')");
  await until(() => called.length === 1);
  await using _second = send();
  await database.query("insert into items (shop, name) values (2, 'c')");
  await until(() => receiver.messages.length === 1);
  assert.deepEqual(called, ["1", "2"]);
  await first.stop();
  await until(() => isEmpty("held"));
  held.resolve();
  assert.deepEqual(called, ["1", "2", "1", "1"]);
});

test("no address is called that is neither public nor listed, by whatever name, and no redirect is followed", async () => {
  await using receiver = await new WebhookReceiver().start();
  receiver.respond = (_message, response) => response.writeHead(307, { location: "http://169.254.169.254/" });
  const { port } = new URL(receiver.url);
  await hook("bad", receiver);
  await database.query("insert into items (shop, name) values (1, 'a')");
  for (const [url, problem, listed] of [
    [receiver.url, /^307 to http:\/\/169\.254\.169\.254\/, which is not followed$/, ["127.0.0.0/8"]],
    [receiver.url, /^without TLS, only listed private addresses are called$/, ["10.0.0.0/8"]],
    [`http://localhost:${port}/`, /^without TLS, only listed/, ["127.0.0.1"]],
    ["https://127.0.0.1/", /^127\.0\.0\.1 is no public address, and not listed$/, []],
    ["https://[::ffff:127.0.0.1]/", /is no public address/, []],
    ["https://[::1]/", /is no public address/, []],
    ["https://2130706433/", /is no public address/, []],
    ["https://0x7f.1/", /is no public address/, []],
    ["https://169.254.169.254/", /is no public address/, []],
    ["https://[fd00::1]/", /is no public address/, []],
    ["https://[64:ff9b::7f00:1]/", /is no public address/, []],
    ["https://[::127.0.0.1]/", /is no public address/, []],
    ["https://localhost/", /^localhost is \S+, which is no public address, and not listed$/, []],
  ] as const) {
    await database.query("update change_feed.webhooks set url = $1, due_at = now(), failures = 0, last_error = null", [
      url,
    ]);
    await database.query("update change_feed.webhook_keys set due_at = now(), attempts = 0, last_error = null");
    await using _sender = send({ privateAddresses: listed });
    await until(
      async () => (await database.query("select from change_feed.webhooks where last_error is not null")).length === 1,
    );
    assert.match((await statusOf("bad"))["last_error"], problem);
    assert.equal((await statusOf("bad"))["waiting"], "1");
  }
});

test("a key that hangs holds up no other key of its endpoint, and endpoints that hang no other endpoint", async () => {
  await using receiver = await new WebhookReceiver().start();
  const forever = Promise.withResolvers<void>();
  receiver.respond = ({ data }) => (data.key === "0" ? forever.promise : undefined);
  await hook("well", receiver, "{added}");
  const silent = createSocketServer((socket) => void socket.on("error", () => {}));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as { port: number };
  for (let n = 0; n < 99; n++) await hook(`silent ${n}`, `http://127.0.0.1:${port}/`, "{added}");
  await using sender = send({ timeoutMs: 600_000 });
  for (let turn = 0; turn < 4; turn++) {
    await database.query("insert into items (shop, name) select n, $1 from generate_series(0, 15) n", [`${turn}`]);
    sender.wake();
    await until(() => receiver.messages.length === 15 * (turn + 1));
  }
  for (let key = 1; key <= 15; key++) {
    assert.deepEqual(
      namesOf(receiver.messages, `${key}`),
      Array.from({ length: 4 }, (_, turn) => `added ${turn}`),
    );
  }
  await sender.stop();
  forever.resolve();
  silent.close();
});

test("410 disables a webhook and tells; another URL, or is_paused, enables it again", async () => {
  await using receiver = await new WebhookReceiver().start();
  receiver.respond = (_message, response) => response.writeHead(410).end("no\u0000 more");
  await hook("gone", receiver);
  await database.query("insert into items (shop, name) values (1, 'a'), (2, 'b')");
  await using sender = send();
  await until(() => sender.troubled.get("gone") === "disabled");
  const { is_paused: isPaused, disabled_at: disabledAt, last_error: error } = await statusOf("gone");
  assert.deepEqual([isPaused, error], [true, "410 no more"]);
  assert.ok(disabledAt instanceof Date);
  assert.match(JSON.stringify(logged), /"webhook":"gone".*"reason":"410 no more"/);
  const problems = await database.query<{ problem: string }>("select * from change_feed.problems()");
  assert.match(problems.find(({ problem }) => problem.includes("410"))?.problem as string, /is disabled since/);
  receiver.respond = () => {};
  await database.query("update change_feed.webhooks set is_paused = false");
  await until(() => receiver.messages.length === 2);
  assert.equal((await statusOf("gone"))["disabled_at"], null);
  receiver.respond = (_message, response) => response.writeHead(410).end();
  await database.query("insert into items (shop, name) values (3, 'c')");
  await until(async () => (await statusOf("gone"))["disabled_at"] !== null);
  receiver.respond = () => {};
  await database.query("select change_feed.webhook('gone', 'items', '{added}', $1, 'hook', key_column => 'shop')", [
    `${receiver.url}&new`,
  ]);
  await until(() => receiver.messages.length === 3);
  assert.equal(sender.troubled.has("gone"), false);
});

test("Retry-After of an endpoint is kept, between a second and an hour", async () => {
  await using receiver = await new WebhookReceiver().start();
  for (const [status, header, from, to] of [
    [429, "20", 19, 21],
    [503, "20", 19, 21],
    [503, new Date(Date.now() + 60_000).toUTCString(), 50, 61],
    [503, new Date(0).toUTCString(), 0.5, 1.1],
    [429, "0", 0.5, 1.1],
    [429, "99999999999999999999", 3_590, 3_601],
    [503, "-5", -1, 0.1],
    [503, "soon", -1, 0.1],
    [500, "", -1, 0.1],
    [422, "20", -1, 0.1],
  ] as const) {
    receiver.respond = (_message, response) => response.writeHead(status, { "retry-after": header }).end();
    await hook("late", receiver);
    await database.query("insert into items (shop, name) values (1, 'a'), (2, 'b')");
    await using _sender = send();
    await until(async () => (await statusOf("late"))["last_error"] === `${status}`);
    const [row] = await database.query<{ pause: number }>(
      "select extract(epoch from due_at - now())::float8 as pause from change_feed.webhooks",
    );
    assert.ok((row?.pause as number) > from && (row?.pause as number) < to, `${status} ${header}: ${row?.pause}`);
    await database.query("delete from change_feed.webhooks");
  }
});

test("a new secret signs beside the former one, for as long as the DBA says", async () => {
  await using receiver = await new WebhookReceiver().start();
  await hook("new", receiver);
  await using _sender = send();
  let count = 0;
  const isVerified = async () => {
    await database.query("insert into items (shop, name) values (1, 'a')");
    await until(() => receiver.messages.length === count + 1);
    count++;
    return receiver.messages.at(-1)?.isVerified;
  };
  const former = receiver.secret;
  const next = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  await database.query("update change_feed.webhooks set secret = $1", [next]);
  assert.equal(await isVerified(), true);
  receiver.secret = next;
  assert.equal(await isVerified(), true);
  assert.ok((await statusOf("new"))["former_secret_until"] > new Date(Date.now() + 23 * 3_600_000));
  receiver.secret = former;
  await database.query("update change_feed.webhooks set former_secret_until = now()");
  assert.equal(await isVerified(), false);
  await database.query("update change_feed.webhooks set secret_overlap = '0'");
  await database.query("update change_feed.webhooks set secret = $1", [former]);
  receiver.secret = next;
  assert.equal(await isVerified(), false);
});

test("each status is taken as the table in the README says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const section = readme.slice(readme.indexOf("### Responses"));
  const documented = new Map<number, string>();
  for (const [, list = "", meaning = ""] of section.matchAll(/^\| ([\dx, ]+)[^|]*\| (\w+)/gm)) {
    for (const each of list.trim().split(", ")) {
      const first = Number(each.replaceAll("x", "0"));
      const last = Number(each.replaceAll("x", "9"));
      for (let status = first; status <= last; status++)
        if (!documented.has(status) || first === last) documented.set(status, meaning);
    }
  }
  for (let status = 200; status < 600; status++) assert.equal(documented.get(status), verdictOf(status), `${status}`);
});

/* What an endpoint may respond: bytes, after which the connection ends. */
const head = (...lines: string[]) => `HTTP/1.1 ${lines.join("\r\n")}\r\n\r\n`;
const refusal = head("500 No");
const responses: Record<string, string | Buffer> = {
  "NUL in the body": `${refusal}a\0b`,
  "control and escape characters in the body": `${refusal}${Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join("")}\x1b[2J`,
  "characters that change the direction, and line separators": `${refusal}a\u202e\u2066b\u2028\u2029\u0085\u200fc\u061c`,
  "bytes that are no UTF-8": Buffer.concat([
    Buffer.from(refusal),
    Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0x00]),
  ]),
  "half a surrogate pair at the bound": `${refusal}${"x".repeat(295)}😀😀😀`,
  "a body of 5 MB": `${refusal}${"y".repeat(5_000_000)}`,
  "a body of combining marks": `${refusal}a${"\u0301".repeat(50_000)}`,
  "headers of 100 KB": head("500 No", `X-Long: ${"z".repeat(100_000)}`),
  "a status text with a control character": head("500 N\u0085o"),
  "a location with control characters": Buffer.from(head("302 Found", "Location: http://\x9b31m/\xa0"), "latin1"),
  "no HTTP": "220 smtp.example.com ESMTP\r\n",
  nothing: "",
  NUL: "\0\0\0\0",
  "half a status line": "HTTP/1.1 20",
  "an unknown version": "HTTP/9.9 200 OK\r\n\r\n",
  "a status beyond 599": head("999 Odd"),
  "a switch of protocols": head("101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"),
  "a promise to continue": head("100 Continue"),
  "a broken chunk": `${head("200 OK", "Transfer-Encoding: chunked")}zz\r\n`,
  "a body that is cut": `${head("200 OK", "Content-Length: 10")}a`,
};

test("whatever an endpoint responds is one failed attempt, with a reason that is one printable line", async () => {
  for (const [what, bytes] of Object.entries(responses)) {
    const odd = createSocketServer((socket) => {
      socket.on("error", () => {}).once("data", () => socket.end(bytes));
    });
    odd.listen(0, "127.0.0.1");
    await once(odd, "listening");
    await hook("odd", `http://127.0.0.1:${(odd.address() as { port: number }).port}/`);
    await database.query("insert into items (shop, name) values (1, 'a')");
    {
      await using _sender = send();
      await until(async () => Number((await statusOf("odd"))["failures"]) > 1);
      const { last_error: reason } = await statusOf("odd");
      assert.match(reason, /^(?!.*\s\s)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,300}$/u, what);
      // The attempts are counted, so that their time ends.
      await database.query("update change_feed.webhooks set give_up_after = '0'");
      await until(async () => (await statusOf("odd"))["given_up"] === "1");
    }
    assert.ok(
      logged.every((details) => printable(JSON.stringify(details), 10_000) === JSON.stringify(details)),
      what,
    );
    odd.close();
    await database.query("delete from change_feed.webhooks");
    logged.length = 0;
  }
});

test("a server that does not respond is named", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  await hook("slow", `http://127.0.0.1:${(silent.address() as { port: number }).port}/`);
  await database.query("insert into items (shop, name) values (1, 'a')");
  await using _sender = send({ timeoutMs: 50 });
  await until(async () => (await statusOf("slow"))["last_error"] === "no response within 0.05 s");
  silent.closeAllConnections();
  silent.close();
});

test("a wrong certificate is named, and nothing is sent", async () => {
  const good = await makeCertificate();
  const foreign = await makeCertificate({ address: "10.0.0.1" });
  const old = await makeCertificate({ until: "2001-01-01" });
  for (const [certificate, trusted, error] of [
    [good, foreign, /self-signed certificate/],
    [foreign, foreign, /not in the cert's list/],
    [old, old, /certificate has expired/],
    [good, good, undefined],
  ] as const) {
    await using receiver = await new WebhookReceiver(certificate).start();
    await hook("tls", receiver);
    await database.query("insert into items (shop, name) values (1, 'a')");
    await using _sender = send({ ca: trusted.cert });
    await until(async () => (await isEmpty("tls")) || (await statusOf("tls"))["last_error"] !== null);
    if (error) assert.match((await statusOf("tls"))["last_error"], error);
    assert.equal(receiver.messages.length, error ? 0 : 1, (await statusOf("tls"))["last_error"]);
    await database.query("delete from change_feed.webhooks");
  }
});

test("an endpoint does not wait for the end of its lease when the database was away", async () => {
  await using receiver = await new WebhookReceiver().start();
  await hook("cut", receiver);
  receiver.respond = async () => {
    receiver.respond = () => {};
    await database.query("alter role feed_login nologin");
    await database.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'feed_login'");
  };
  await database.query("insert into items (shop, name) values (1, 'a'), (1, 'b'), (2, 'c')");
  await using _sender = send();
  await until(() => logged.length > 0);
  await database.query("alter role feed_login login");
  await until(() => isEmpty("cut"));
  assert.deepEqual([...new Set(namesOf(receiver.messages, "1"))], ["added a", "added b"]);
});

test("what cannot be is refused when it is declared", async () => {
  const declare = (url: string, role = "hook", kinds = "{added}", secret: string | null = null) =>
    database.query("select change_feed.webhook('x', 'items', $1, $2, $3, secret => $4)", [kinds, url, role, secret]);
  for (const url of [
    "",
    "ftp://example.com",
    "https://",
    "https://a:b@example.com/",
    "example.com",
    "https://example.com/#x",
  ]) {
    await assert.rejects(declare(url), { constraint: "webhooks_url_check" });
  }
  await assert.rejects(declare("https://example.com", "nobody"), /The role nobody does not exist/);
  await assert.rejects(declare("https://example.com", "postgres"), /or the login of the senders cannot become it/);
  await assert.rejects(declare("https://example.com", "visitor"), /The role visitor may not read public.items/);
  await assert.rejects(declare("https://example.com", "hook", "{renamed}"), { code: "23514" });
  await assert.rejects(declare("https://example.com", "hook", "{added}", "short"), {
    constraint: "webhooks_secret_check",
  });
});
