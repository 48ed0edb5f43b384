import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* The service sends webhooks. packages/change-feed/test has what endpoints can do. */
const service = useService({ webhooks: true, webhookAddresses: ["127.0.0.1"] });
const { database } = service;
const received: { type: string; data: { id: string; row?: Record<string, unknown> } }[] = [];
let secret: string;
let status = 200;
const endpoint = createServer(async (request, response) => {
  const body = await text(request);
  if (status === 200)
    received.push(new Webhook(secret).verify(body, request.headers as Record<string, string>) as never);
  response.writeHead(status).end();
});

beforeAll(async () => {
  endpoint.listen(0, "127.0.0.1");
  await once(endpoint, "listening");
  const url = `http://127.0.0.1:${(endpoint.address() as { port: number }).port}/`;
  const sql =
    "select change_feed.webhook('test', 'app_public.posts', '{added,updated,deleted}', $1, 'api_anonymous') as secret";
  const [row] = await database.query<{ secret: string }>(sql, [url]);
  secret = row?.secret as string;
});
afterAll(() => {
  endpoint.closeAllConnections();
  endpoint.close();
});

const ask = async (query: string) => {
  const { data, errors } = await service.ask(query, { as: "ada" });
  expect(errors).toBeUndefined();
  return data as any;
};
const isSent = () =>
  until(
    async () => (await database.query("select from change_feed.webhook_events where due_at is not null")).length === 0,
  );

test("what visitors may read is sent as they may read it, and a draft is not", async () => {
  const { id } = (await ask('mutation { createPost(input: { title: "A draft", content: "Text." }) { id } }'))
    .createPost;
  await isSent();
  expect(received).toEqual([]);
  await ask(`mutation { updatePost(id: ${id}, input: { status: PUBLISHED }) { id } }`);
  await isSent();
  expect(received).toMatchObject([{ type: "app_public.posts.updated", data: { id, row: { title: "A draft" } } }]);
  const metrics = await (await fetch(new URL("/metrics", service.url))).text();
  expect(metrics).toContain('webhook_events_total{outcome="delivered"} 1');
});

test("db:status names a webhook that fails", async () => {
  status = 500;
  await ask('mutation { createPost(input: { title: "Another", content: "Text.", status: PUBLISHED }) { id } }');
  const problems = () => database.query<{ stream: string; problem: string }>("select * from change_feed.problems()");
  await database.query("update change_feed.webhooks set give_up_after = '0'");
  await until(async () => (await problems()).length > 0);
  expect(await problems()).toMatchObject([
    { stream: "webhook test", problem: expect.stringMatching(/the last attempt: 500$/) },
  ]);
});

test("what no endpoint has taken within a month is deleted in batches", async () => {
  await database.query("update change_feed.webhooks set is_paused = true");
  await database.query("delete from change_feed.webhook_events");
  await database.query(`
    insert into change_feed.webhook_events (webhook, stream_id, kind, key, number, row_id, created_at, queued_at)
    select 'test', 1, 'added', n, 1, n, now(), now() - n * interval '1 day' + interval '12 hours' from generate_series(60, 1, -1) n`);
  const batches: number[] = [];
  for (let isComplete = false; !isComplete; ) {
    const [batch] = await database.query<{ is_complete: boolean; rows: number }>(
      "select * from app_private.delete_webhook_events(7)",
    );
    isComplete = batch?.is_complete ?? true;
    batches.push(batch?.rows ?? 0);
  }
  expect(batches).toEqual([7, 7, 7, 7, 2]);
  expect(await database.query("select count(*)::int, max(key::int) from change_feed.webhook_events")).toEqual([
    { count: 30, max: 30 },
  ]);
});
