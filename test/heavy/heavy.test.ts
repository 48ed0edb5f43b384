import { beforeAll, expect, test } from "@jest/globals";
import { holdLock } from "../../tools/support/holdLock.ts";
import { heavy, padding } from "../support/heavy.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { useService } from "../support/service.ts";

/* Operations that are run on another thread, since to plan them takes long: nothing but that is different. */
const service = useService();
const impatient = useService({ poolTimeoutMs: 300, statementTimeoutMs: 1_000 });

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status)
    values (1, 'Public', 'Text.', 'PUBLISHED'), (1, 'Secret', 'Text.', 'DRAFT')`);
});

test("a light request that comes after a heavy one is answered before it", async () => {
  const order: string[] = [];
  await Promise.all([
    service.ask(heavy("postsCount")).then(() => order.push("heavy")),
    service.ask("{ postsCount }").then(() => order.push("light")),
  ]);
  expect(order).toEqual(["light", "heavy"]);
});

test("each is answered as its own caller", async () => {
  const ask = async (as: "ada" | "bob" | "nobody") => (await service.ask(heavy("who: me { name }"), { as })).data.who;
  const callers = Array.from({ length: 30 }, (_, index) => (["ada", "bob", "nobody"] as const)[index % 3] ?? "ada");
  const expected = { ada: { name: "Ada" }, bob: { name: "Bob" }, nobody: null };
  expect(await Promise.all(callers.map(ask))).toEqual(callers.map((caller) => expected[caller]));
});

test("errors have their code, path and place", async () => {
  const { data, errors } = await service.ask(heavy('missing: user(id: "404") { name }'));
  expect(data).toMatchObject({ missing: null, a: "Query" });
  expect(errors).toEqual([
    {
      message: expect.any(String),
      path: ["missing"],
      locations: [{ line: 1, column: 15 }],
      extensions: { code: "NOT_FOUND" },
    },
  ]);
});

test("a fault of ours is in the log, under the id that the client is told", async () => {
  await service.database.query("alter function app_public.posts_count(app_public.post_status) rename to away");
  service.logged.length = 0;
  const { errors = [] } = await service.ask(heavy("postsCount"));
  await service.database.query("alter function app_public.away(app_public.post_status) rename to posts_count");
  const { code, errorId } = errors[0]?.extensions ?? {};
  expect(code).toBe("INTERNAL_SERVER_ERROR");
  expect(service.logged.filter(({ level }) => level === 50)).toMatchObject([
    { errorId, sqlState: "42883", operation: "Heavy", role: "api_anonymous", msg: "unforeseen error" },
  ]);
});

test("mutations happen once, in order, and answer what they have done", async () => {
  const posts = Array.from(
    { length: 12 },
    (_, index) => `m${index}: createPost(input: {title: "M", content: "C"}) { slug }`,
  );
  const { data } = await service.ask(`mutation { ${posts.join(" ")} }`, { as: "ada" });
  expect(Object.values(data).map((post: any) => post.slug)).toEqual([
    "m",
    ...posts.slice(1).map((_, index) => `m-${index + 2}`),
  ]);
});

test("whoever signs in there gets tokens that are good", async () => {
  const account = 'email: "s@example.com", password: "a password of some length"';
  await service.ask(`mutation { createUser(name: "S", ${account}) { id } }`);
  const calls = Array.from({ length: 8 }, (_, index) => `s${index}: signIn(${account}) { accessToken }`);
  const { data } = await service.ask(`mutation { ${calls.join(" ")} }`);
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${data.s7.accessToken}` },
    body: JSON.stringify({ query: "{ me { name } }" }),
  });
  expect(await response.json()).toEqual({ data: { me: { name: "S" } } });
});

test("a subscription's events are answered there, to each subscriber", async () => {
  await service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1)`);
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
  await socket.messages.next();
  const query = `subscription { messageAdded(chatId: 1) { text sender { ...S } a: sender { ...S } b: sender { ...S } c: sender { ...S } } }
    fragment S on User { name ${padding} }`;
  socket.say({ type: "subscribe", id: "1", payload: { query } });
  while (service.app.subscriptions === 0) await new Promise((resolve) => setImmediate(resolve));
  await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Heavy')");
  expect(await socket.messages.next()).toMatchObject({
    type: "next",
    payload: { data: { messageAdded: { text: "Heavy", c: { name: "Ada", p19: "User" } } } },
  });
  socket.destroy();
});

test("who waits too long for its turn is told to come again; what is light goes on", async () => {
  const lock = await holdLock(impatient.database.ownerUrl, "lock app_public.posts in access exclusive mode");
  const answers = await Promise.all(Array.from({ length: 6 }, () => impatient.ask(heavy("postsCount"))));
  expect(await impatient.ask("{ me { name } }", { as: "ada" })).toEqual({ data: { me: { name: "Ada" } } });
  await lock.release();
  const codes = answers.map(({ errors = [] }) => errors[0]?.extensions.code).sort();
  expect(codes).toEqual([...Array(2).fill("SERVICE_UNAVAILABLE"), ...Array(4).fill("TIMEOUT")]);
  expect((await impatient.ask(heavy("postsCount"))).errors).toBeUndefined();
});

test("it follows the database as the others do", async () => {
  await service.database.query("alter table app_public.posts add column subtitle text default 'Later'");
  expect(await service.app.rebuild()).toBe(true);
  const { data, errors } = await service.ask(heavy("posts(limit: 1) { subtitle }"));
  expect(errors).toBeUndefined();
  expect(data.posts).toEqual([{ subtitle: "Later" }]);
});
