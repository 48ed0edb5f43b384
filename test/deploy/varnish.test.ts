import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { testWith } from "../support/machine.ts";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Varnish } from "../support/Varnish.ts";

/* deploy/varnish.vcl, with Debian's Varnish in front of the service: what changes is seen at once, and all else stays cached. */
const service = useService({ cacheSeconds: 3_600, webhooks: true, webhookAddresses: ["127.0.0.1"] });
/** Between Varnish and the service. Holds back responses while it is told to. */
let held: Promise<void> | undefined;
let fetches = 0;
const backend = createServer(async (incoming, response) => {
  const { method, headers, url } = incoming;
  const forwarded = request(new URL(url ?? "", service.url), { method, headers });
  incoming.pipe(forwarded);
  const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
  fetches++;
  await held;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
});
let varnish: Varnish;

async function start(): Promise<void> {
  await service.database.query(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Bread', 'Flour.', 'PUBLISHED')",
  );
  backend.listen(0, "127.0.0.1");
  await once(backend, "listening");
  varnish = await Varnish.start((backend.address() as { port: number }).port);
  for (const table of ["posts", "users", "comments"]) {
    const hook = "select change_feed.webhook($1, $2::regclass, '{added,updated,deleted}', $3, null)";
    await service.database.query(hook, [table, `app_public.${table}`, `${varnish.url}/purge`]);
  }
}
afterAll(async () => {
  await varnish?.[Symbol.asyncDispose]();
  backend.close();
});

const get = (query: string) => fetch(`${varnish.url}/graphql?${new URLSearchParams({ query })}`);
const read = async (query: string): Promise<any> => ((await (await get(query)).json()) as { data: unknown }).data;
/** Whether nothing was fetched for a response. */
const isCached = async (query: string) => {
  const before = fetches;
  await read(query);
  return fetches === before;
};
const update = async (id: number, title: string) => {
  const { errors } = await service.ask(`mutation { updatePost(id: ${id}, input: { title: "${title}" }) { id } }`, {
    as: "ada",
  });
  expect(errors).toBeUndefined();
};

const one = `{ post(id: 1) { title } }`;
const other = `{ user(id: 2) { name } }`;
const list = `{ posts(limit: 10) { title author { name } } }`;

testWith("varnish")("a correction is seen at once behind an hour, and nothing else is fetched again", async () => {
  await start();
  for (const query of [one, other, list]) await read(query);
  for (const query of [one, other, list]) expect(await isCached(query)).toBe(true);
  await update(1, "Corrected");
  await until(async () => (await read(one)).post.title === "Corrected");
  expect((await read(list)).posts.map(({ title }: { title: string }) => title)).toContain("Corrected");
  expect(await isCached(other)).toBe(true);
  await service.database.query("update app_public.posts set status = 'DRAFT' where id = 1");
  await until(async () => (await read(one)).post === null);
  await service.database.query("update app_public.posts set status = 'PUBLISHED' where id = 1");
});

testWith("varnish")("a response that is under way while its rows change is not kept", async () => {
  const release = Promise.withResolvers<void>();
  held = release.promise;
  const before = fetches;
  const reading = read(`{ post(id: 1) { title slug } }`);
  await until(() => fetches > before);
  await update(1, "Once more");
  const sent = () => service.database.query("select from change_feed.webhook_events");
  await until(async () => (await sent()).length === 0);
  held = undefined;
  release.resolve();
  expect((await reading).post.title).toBe("Corrected");
  expect((await read(`{ post(id: 1) { title slug } }`)).post.title).toBe("Once more");
});

testWith("varnish")("nobody else purges, browsers ask each time, and nothing of a member is kept", async () => {
  const purge = (headers: Record<string, string>) =>
    fetch(`${varnish.url}/purge`, { method: "POST", headers: { "cache-tag": "app_public.users", ...headers } });
  expect((await purge({ "x-forwarded-for": "203.0.113.7" })).status).toBe(403);
  expect((await purge({})).status).toBe(200);
  const response = await get(other);
  expect(response.headers.get("cache-control")).toBe("public, no-cache");
  expect(response.headers.get("cache-tag")).toBeNull();
  const known = { "if-none-match": response.headers.get("etag") ?? "" };
  const url = `${varnish.url}/graphql?${new URLSearchParams({ query: other })}`;
  expect((await fetch(url, { headers: known })).status).toBe(304);
  const before = fetches;
  const headers = await service.headersOf("ada");
  for (let i = 0; i < 2; i++) await fetch(url, { headers });
  expect(fetches - before).toBe(2);
});
