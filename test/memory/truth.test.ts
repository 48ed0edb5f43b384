import { connect } from "node:net";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { type MemoryProbe, probeMemory, probeOptions } from "../../tools/support/probeMemory.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { environment } from "../../tools/torture/Service.ts";
import { useDatabase } from "../support/database.ts";
import { rawPost } from "../support/rawHttp.ts";
import { until } from "../support/until.ts";
import { Reader, type Transport, transports, type Viewer } from "./support/Reader.ts";

/*
 * The ledger tells the truth: whatever is asked, and however it is read, what clients keep alive on and off the heap is never more than it
 * says, plus a constant. `npm run bystander -- live-…` shows the same for longer, at the limits of a client.
 */

/** What V8 and the caches of plans take besides, once each way through the service has run. */
const constant = 6 * 2 ** 20;
/** The contents of posts, each of 20 KB in UTF-8 as JSON: V8 has one or two bytes for a character of them. */
const contents = {
  letters: "repeat('x', 20000)",
  quotes: "repeat('\"', 10000)",
  ellipses: "repeat('…x', 5000)",
  emoji: "repeat('😀', 5000)",
};
type Text = keyof typeof contents;
const texts = Object.keys(contents) as Text[];
const posts = 50;
const subscriptions = 10;
const database = useDatabase();
const sign = createTokenSigner({ secret: environment.JWT_SECRET });
let service: ServiceProcess;
let url = "";
let unaccounted = 0;

/** The author of the posts with such texts. */
const authorOf = (text: Text) => 101 + texts.indexOf(text);

let viewers = 0;
/** Each case has a viewer of its own, without the pauses that large results have caused. */
async function newViewer(isAnonymous = true): Promise<Viewer> {
  viewers += 1;
  const signed = isAnonymous ? undefined : await sign?.(String(200 + viewers));
  return { authorization: signed && `Bearer ${signed.token}`, address: `192.0.2.${viewers}` };
}

let documents = 0;
/** A selection that no other document has. */
function newSelection(): string {
  documents += 1;
  const fields = ["id", "title", "excerpt", "author { id name }", "tags { name }", "comments(limit: 2) { id text }"];
  const chosen = fields.filter((_, place) => (documents >> place) % 2 === 1);
  return `posts(limit: ${posts}) { c${documents}: content ${chosen.join(" ")} }`;
}

beforeAll(async () => {
  const values = texts.map((text) => `(${authorOf(text)}, ${contents[text]})`);
  await database.query(`
    insert into app_public.users (id, name) overriding system value select n, 'User ' || n from generate_series(101, 300) n;
    insert into app_private.accounts (user_id, email, verified_at)
      select n, 'user' || n || '@example.com', now() from generate_series(101, 300) n;
    insert into app_public.posts (author_id, title, content, status)
      select author, 'Post ' || n, text, 'PUBLISHED' from (values ${values}) as kinds (author, text), generate_series(1, ${posts}) n;
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) select 1, n from generate_series(101, 300) n`);
  service = new ServiceProcess({
    ...environment,
    NODE_OPTIONS: `--max-old-space-size=256 --max-semi-space-size=16 ${probeOptions}`,
    MIGRATE_ON_START: "false",
    API_DATABASE_URL: database.apiUrl,
    // Plans and documents would grow to more than the constant.
    QUERY_CACHE_BYTES: "1048576",
    TRUST_PROXY: "loopback",
    DRAIN_TIMEOUT_MS: "100",
  });
  database.ends.defer(async () => void (await service.end("SIGTERM")));
  url = `${await service.printed(/"url":"(http[^"]+)"/)}/graphql`;
  await service.printed(/"msg":"(ready)"/);
  for (const transport of transports) {
    await follow({ transport, text: "letters", isAnonymous: true }, newSelection, async (reader, cause) => {
      await cause();
      await reader.has(subscriptions);
    });
  }
  const { live, charged } = await untilReleased();
  unaccounted = live - charged;
});

afterEach(untilReleased);

/** Waits until nothing is held but results that are cached. */
async function untilReleased(): Promise<MemoryProbe> {
  for (;;) {
    const probe = await probeMemory(service);
    if (probe.charged === probe.held["shared"]) return probe;
  }
}

async function expectTruth(): Promise<MemoryProbe> {
  const probe = await probeMemory(service);
  expect(probe.live - probe.charged - unaccounted).toBeLessThan(constant);
  return probe;
}

interface Following {
  transport: Transport;
  text: Text;
  isAnonymous: boolean;
}

async function metrics(): Promise<string> {
  return (await fetch(url.replace("graphql", "metrics"))).text();
}

async function untilSubscribed(count: number): Promise<void> {
  await until(async () => {
    const open = [...(await metrics()).matchAll(/^graphql_subscriptions\{.*\} (\d+)$/gm)];
    return open.reduce((sum, [, ofTransport]) => sum + Number(ofTransport), 0) === count;
  });
}

/** Opens subscriptions, lets `act` cause events, and closes them. */
async function follow(
  { transport, text, isAnonymous }: Following,
  selection: () => string,
  act: (reader: Reader, cause: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const author = authorOf(text);
  const [post] = await database.query("select id from app_public.posts where author_id = $1 limit 1", [author]);
  const query = () =>
    isAnonymous
      ? `subscription { commentAdded(postId: "${post?.["id"]}") { id author { ${selection()} } } }`
      : `subscription { messageAdded(chatId: "1") { id sender { ${selection()} } } }`;
  const cause = isAnonymous
    ? `insert into app_public.comments (post_id, author_id, text) values (${post?.["id"]}, ${author}, 'Hello')`
    : `insert into app_public.messages (chat_id, sender_id, text) values (1, ${author}, 'Hello')`;
  using reader = new Reader(url, await newViewer(isAnonymous));
  await reader.subscribe(
    transport,
    Array.from({ length: subscriptions }, () => ({ query: query() })),
  );
  await untilSubscribed(subscriptions);
  await act(reader, () => database.query(cause));
}

/** Each transport, each text and each kind of client. */
const cases = Array.from(
  { length: 4 },
  (_, index): Following => ({
    transport: transports[index % 3] as Transport,
    text: texts[index % 4] as Text,
    isAnonymous: index % 2 === 0,
  }),
);

/** One event, seen when the first subscription has it, and when all have. */
async function seeEvent(reader: Reader, cause: () => Promise<unknown>): Promise<void> {
  await cause();
  for (const results of [1, subscriptions]) {
    await reader.has(results);
    await expectTruth();
  }
}

test.each(cases)("results that were sent are let go: $transport, $text, anonymous: $isAnonymous", (following) =>
  follow(following, newSelection, seeEvent),
);

test.each(cases.slice(2))("so are those that subscribers share: $transport, $text", (following) => {
  const selection = newSelection();
  return follow(following, () => selection, seeEvent);
});

test("a client that reads is not cut, though all of its large results are ready at once", () => {
  const lists = [..."abc"].map((alias) => `${alias}: posts(limit: ${posts}) { content }`).join(" ");
  const following: Following = { transport: "graphql-transport-ws", text: "ellipses", isAnonymous: false };
  return follow(
    following,
    () => lists,
    async (reader, cause) => {
      for (let event = 1; event <= 2; event++) {
        await cause();
        await reader.has(event * subscriptions);
      }
    },
  );
});

// A field that fails makes the engine execute a query: the compiled one has no errors.
test.each(
  texts.flatMap((text) => ["", 'broken: searchConnection(text: "") { nodes { rank } }'].map((field) => [text, field])),
)("what a client has not read of a response is counted, of %s: { posts { content } %s }", async (text, field) => {
  const lists = [..."abcdefg"].map(
    (alias, offset) =>
      `${alias}: posts(limit: ${posts}, offset: ${offset % 2}, authorId: "${authorOf(text as Text)}") { content }`,
  );
  const body = JSON.stringify({ query: `{ ${lists.join(" ")} ${field} }` });
  const { hostname, port } = new URL(url);
  const { address } = await newViewer();
  const socket = connect(Number(port), hostname);
  socket.write(rawPost(body, [`X-Forwarded-For: ${address}`]));
  await new Promise((resolve) => socket.once("readable", resolve));
  expect((await expectTruth()).held["unread"]).toBeGreaterThan(2 ** 20);
  socket.destroy();
});

test("subscriptions count with their documents, variables and connections", async () => {
  const [post] = await database.query("select min(id) as id from app_public.posts");
  const wide = Array.from({ length: 100 }, (_, index) => `c${index}: id`).join(" ");
  const query = (alias: number) =>
    `subscription ($post: ID!) { commentAdded(postId: $post) { a${alias}: id ${wide} } }`;
  const variables = { post: post?.["id"], other: ["x".repeat(100_000), "…".repeat(50_000), Array(1_000).fill([])] };
  const open = async (transport: Transport, requests: object[]) => {
    const reader = new Reader(url, await newViewer());
    await reader.subscribe(transport, requests);
    return reader;
  };
  const many = Array.from({ length: 20 }, (_, index) => index);
  using _first = await open(
    "sse",
    many.map(() => ({ query: query(0), variables })),
  );
  using _second = await open(
    "graphql-transport-ws",
    many.map((index) => ({ query: query(index), variables: { post: post?.["id"] } })),
  );
  await untilSubscribed(40);
  // The first one pays for the document that all share. When it leaves, another one does.
  const payer = await open("sse", [{ query: query(1_000), variables: { post: post?.["id"] } }]);
  using _third = await open(
    "graphql-ws",
    many.map(() => ({ query: query(1_000), variables: { post: post?.["id"] } })),
  );
  await untilSubscribed(61);
  const { held } = await expectTruth();
  payer[Symbol.dispose]();
  await untilSubscribed(60);
  const left = (await expectTruth()).held;
  expect((held["subscriptions"] ?? 0) - (left["subscriptions"] ?? 0)).toBeLessThan(10_000);
});
