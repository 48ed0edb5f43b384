import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import { changeFeedSql } from "../index.ts";

/* The queue of webhooks and the deletion of expired events, in SQL: what a statement reads, and who has a key. Tables here have no statistics, or old ones. */
const names = { roles: { login: "feed_login", anonymous: "visitor", member: "member" } };
const all = changeFeedSql(names);
const upgrade = changeFeedSql(names, { from: 11 });
const database = await startDatabase(`
  create role feed_login login noinherit;
  create role visitor;
  create role member;
  grant visitor, member to feed_login;
  create table items (id int generated always as identity primary key, shop int not null);
`);
after(() => database[Symbol.asyncDispose]());
const [lease, foreign] = ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"];
const insert = (sql: string, values: unknown[]) => database.query(`insert into items (shop) ${sql}`, values);
const claim = (count = 10, webhook = "hook", by = lease) =>
  database.query<{ id: string; key: string; attempts: number; message_id: string }>(
    "select * from change_feed.claim_webhook_events($1, '90 seconds', array[$2], array[$3::int]) order by id",
    [by, webhook, count],
  );
const look = async (name = "hook") =>
  (
    await database.query<Record<string, any>>("select * from change_feed.sendable_webhooks() where name = $1", [name])
  )[0] ?? {};
const settle = (events: { id: string; key: string }[], more: object, by = lease) =>
  database.query("select * from change_feed.settle_webhook_events($1, '1 second', $2)", [
    by,
    JSON.stringify(events.map(({ id, key }) => ({ webhook: "hook", id, key, again_in: 1_000, tries: 10, ...more }))),
  ]);
const due = () => database.query("update change_feed.webhook_keys set due_at = now()");
const keys = () =>
  database.query("select key, attempts, lease is not null as is_sent from change_feed.webhook_keys order by key");

/** The blocks that statements read, in all. */
async function blocksOf(text: string): Promise<number> {
  const [row] = await database.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
    `explain (analyze, buffers, format json) ${text}`,
  );
  const plan = row?.["QUERY PLAN"][0].Plan as Record<string, number>;
  return (plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number);
}

/* An upgrade from version 11, while a writer queues. */
await database.query(all.slice(0, all.length - upgrade.length));
await database.query(
  "select change_feed.webhook('hook', 'items', '{added,deleted}', 'https://example.com', null, key_column => 'shop')",
);
await insert("values (1), (1), (2)", []);
const writer = await database.connect();
await writer.query("begin; insert into items (shop) values (3); set constraints all immediate");
const upgraded = (await database.connect()).query(upgrade);
// The upgrade waits for the writer's lock on the queue.
while ((await writer.query("select from pg_locks where not granted")).rows.length === 0);
await writer.query("commit");
await upgraded;
for (const table of ["webhook_events", "webhook_keys", "webhook_arrivals", "stream_events"]) {
  await database.query(`alter table change_feed.${table} set (autovacuum_enabled = off)`);
}

test("an upgrade from version 11 keeps what waits, and what a writer queues meanwhile", async () => {
  await insert("values (4)", []);
  assert.equal((await look())["due"], 4);
  const events = await claim();
  assert.deepEqual(
    events.map(({ key, attempts }) => [key, attempts]),
    [
      ["1", 1],
      ["2", 1],
      ["3", 1],
      ["4", 1],
    ],
  );
  await settle(events, { verdict: "delivered" });
  assert.deepEqual(await keys(), [{ key: "1", attempts: 0, is_sent: false }]);
  await settle(await claim(), { verdict: "delivered" });
  assert.deepEqual(await keys(), []);
});

test("an attempt is counted when it begins, and its event has its time although nobody says what became of it", async () => {
  await insert("values (1), (1)", []);
  await look();
  const [first] = await claim();
  assert.deepEqual(await keys(), [{ key: "1", attempts: 1, is_sent: true }]);
  assert.deepEqual(await claim(), []);
  for (let attempt = 2; attempt < 9; attempt++) {
    await due();
    assert.deepEqual(await claim(10, "hook", foreign), [{ ...first, attempts: attempt }]);
  }
  const [row] = await database.query<{ pause: number }>(
    "select extract(epoch from due_at - now())::int as pause from change_feed.webhook_keys",
  );
  assert.ok((row?.pause as number) > 100, `${row?.pause} s`);
  // Its lease is over: it settles nothing.
  await settle([first as never], { verdict: "delivered" });
  assert.deepEqual(await keys(), [{ key: "1", attempts: 8, is_sent: true }]);
  await due();
  await database.query("update change_feed.webhooks set give_up_after = '0'");
  assert.deepEqual(await claim(), []);
  assert.deepEqual(
    await database.query("select attempts, last_error from change_feed.webhook_events where due_at is null"),
    [{ attempts: 8, last_error: "no sender has said what became of it" }],
  );
  const [second] = await claim();
  assert.notEqual(second?.id, first?.id);
  await settle([second as never], { verdict: "delivered" });
  await database.query(
    "update change_feed.webhooks set give_up_after = '3 days'; delete from change_feed.webhook_events",
  );
});

test("an event whose key is settled at the same moment is not forgotten", async () => {
  await insert("values (1)", []);
  await look();
  const events = await claim();
  const settler = await database.connect();
  await settler.query("begin");
  await settler.query("select from change_feed.settle_webhook_events($1, '1 second', $2)", [
    lease,
    JSON.stringify(events.map(({ id, key }) => ({ webhook: "hook", id, key, verdict: "delivered" }))),
  ]);
  await insert("values (1)", []);
  const looker = await database.connect();
  const looked = looker.query("select from change_feed.sendable_webhooks()");
  while ((await settler.query("select from pg_locks where not granted")).rows.length === 0);
  await settler.query("commit");
  await looked;
  const rest = await claim();
  assert.equal(rest.length, 1);
  await settle(rest, { verdict: "delivered" });
  assert.deepEqual(await keys(), []);
});

test("a refused event is given up after its tries, a failed one in its time; neither says anything of other keys", async () => {
  await insert("values (1), (2), (3)", []);
  await look();
  for (let attempt = 1; attempt <= 10; attempt++) {
    await due();
    const [refused, failed, good] = await claim();
    await settle([refused as never], { verdict: "refused", error: "422 no" });
    await settle([failed as never], { verdict: "failed", error: "500 no" });
    if (good) await settle([good], { verdict: "delivered" });
    await database.query("update change_feed.webhooks set due_at = now()");
    if (attempt === 3) {
      const [status] = await database.query<Record<string, any>>("select * from change_feed.webhook_status");
      assert.deepEqual([status?.["stuck"], status?.["given_up"]], ["2", "0"]);
    }
  }
  assert.deepEqual(
    await database.query("select key, attempts, last_error from change_feed.webhook_events where due_at is null"),
    [{ key: "1", attempts: 10, last_error: "422 no" }],
  );
  assert.deepEqual(await keys(), [{ key: "2", attempts: 10, is_sent: false }]);
  const problems = await database.query<{ problem: string }>(
    "select problem from change_feed.webhook_problems() order by 1",
  );
  assert.deepEqual(
    problems.map(({ problem }) => problem.replace(/^\d+/, "n")),
    [
      "n events were given up; the last attempt: 500 no",
      "n keys are stuck behind an event that has failed three times or more; one of them: 500 no",
    ],
  );
  await database.query("delete from change_feed.webhook_events");
  await due();
  assert.deepEqual(await claim(), []);
  assert.deepEqual(await keys(), []);
});

test("senders of version 11 and later ones never have the same key, and each event is sent in its turn", async () => {
  await insert("select n % 7 from generate_series(1, 70) n", []);
  const [old] = await database.query<{ lease: string; secret: string }>(
    "select * from change_feed.claim_webhook('90 seconds')",
  );
  assert.match(old?.secret as string, /^whsec_/);
  const sent = new Map<string, bigint>();
  let count = 0;
  for (let turn = 0; count < 70; turn++) {
    await look();
    const mine = await claim(3);
    const theirs = await database.query<{ id: string; key: string; attempts: number }>(
      "select * from change_feed.due_webhook_events('hook', $1, '90 seconds', 2)",
      [old?.lease],
    );
    const under = [...mine, ...theirs];
    assert.equal(new Set(under.map(({ key }) => key)).size, under.length);
    for (const { id, key } of under) {
      if (BigInt(id) !== sent.get(key)) assert.ok(BigInt(id) > (sent.get(key) ?? 0n), `${id} of ${key}`);
      sent.set(key, BigInt(id));
    }
    await settle(mine, { verdict: "delivered" });
    for (const { id } of theirs) {
      const error = turn % 3 === 0 ? "500 no" : null;
      await database.query("select change_feed.settle_webhook_event('hook', $1, $2, $3, '0')", [old?.lease, id, error]);
      if (!error) count++;
    }
    count += mine.length;
  }
  await insert("values (1)", []);
  assert.equal(
    (await database.query("select * from change_feed.due_webhook_events('hook', $1, '90 seconds', 2)", [old?.lease]))
      .length,
    1,
  );
  await database.query("select change_feed.release_webhook('hook', $1)", [old?.lease]);
  await settle(await claim(), { verdict: "delivered" });
  assert.deepEqual(await keys(), []);
});

test("what a sender asks reads as much with a few events as with many, of one key and of many keys", async () => {
  const texts = [
    () => "select * from change_feed.sendable_webhooks()",
    () => `select * from change_feed.claim_webhook_events('${lease}', '90 seconds', '{hook}', '{10}')`,
    async () => {
      const events = await database.query(
        `select webhook, key, change_feed.next_webhook_event(webhook, key) as id, 'delivered' as verdict from change_feed.webhook_keys where lease is not null`,
      );
      assert.equal(events.length, 10);
      return `select change_feed.settle_webhook_events('${lease}', '1 second', '${JSON.stringify(events)}')`;
    },
    () => "select * from change_feed.webhook_problems()",
  ];
  const measure = async () => {
    const blocks: number[] = [];
    for (const text of texts) blocks.push(await blocksOf(await text()));
    return blocks;
  };
  // Keys of one event each, and one of many.
  const add = async (keyCount: number, eventCount: number) => {
    await insert(`select case when n <= ${keyCount} then n else 0 end from generate_series(1, ${eventCount}) n`, []);
    while (Number((await database.query("select change_feed.schedule_webhook_keys() as n"))[0]?.["n"]) > 0);
    await measure();
  };
  await add(100, 1_000);
  // Statistics of a small table.
  await database.query(
    "vacuum analyze change_feed.webhook_events, change_feed.webhook_keys, change_feed.webhook_arrivals",
  );
  await measure();
  const few = await measure();
  await add(5_000, 30_000);
  const many = await measure();
  for (const place of texts.keys()) {
    const bound = (few[place] as number) * 1.5 + 100;
    assert.ok((many[place] as number) <= bound, `statement ${place}: ${few[place]} blocks, then ${many[place]}`);
  }
  await database.query("delete from change_feed.webhooks");
});

test("a batch of the deletion reads as much of a few events as of many, and of the last batch as of the first one", async () => {
  await database.query("select change_feed.stream('items', 'shop', '{added}', 'change_feed.nobody_reads')");
  const [stream] = await database.query<{ id: number }>("select id from change_feed.streams where kind = 'added'");
  const fill = (count: number) =>
    database.query(
      `update change_feed.streams set pruned_to = null;
       truncate change_feed.stream_events;
       insert into change_feed.stream_events (stream_id, key, number, row_id, created_at)
       select ${stream?.id}, n % 50, n / 50 + 1, n, now() - interval '9 days' + n * interval '1 millisecond' from generate_series(0, ${count - 1}) n`,
    );
  const prune = () => blocksOf("select * from change_feed.prune_events(1000)");
  await fill(10_000);
  await database.query("analyze change_feed.stream_events");
  const few = await prune();
  const size = Number(process.env["PRUNED_EVENTS"] ?? 30_000);
  await fill(size);
  const many: number[] = [];
  for (let batch = 0; batch < size / 1_000; batch++) many.push(await prune());
  for (const blocks of many) assert.ok(blocks < few * 1.5 + 200, `${few} of 10,000; of ${size}: ${many.join(" ")}`);
  console.log(`blocks of a batch: ${few} at 10,000; ${many[0]}, …, ${many.at(-1)} at ${size}`);
  assert.deepEqual(await database.query("select * from change_feed.prune_events(1000)"), [
    { is_complete: true, rows: 0 },
  ]);
  // The newest of each key, out of reach.
  assert.deepEqual(
    await database.query(
      "select count(*)::int, min(number)::int as first, bool_and(created_at = 'infinity') as kept from change_feed.stream_events",
    ),
    [{ count: 50, first: size / 50, kept: true }],
  );
});

test("of several streams, each keeps what it keeps", async () => {
  await database.query(
    "select change_feed.stream('items', 'id', '{added}', 'change_feed.nobody_reads', keep => '150 minutes')",
  );
  await database.query("truncate change_feed.stream_events");
  await database.query(
    `insert into change_feed.stream_events (stream_id, key, number, row_id, created_at)
     select s.id, k, n, n, now() - (200 - n) * interval '1 minute' from change_feed.streams s, generate_series(1, 3) k, generate_series(1, 100) n
      where kind = 'added' and relation = 'items'::regclass`,
  );
  let complete = false;
  while (!complete)
    complete = (await database.query<{ is_complete: boolean }>("select * from change_feed.prune_events(7)"))[0]
      ?.is_complete as boolean;
  assert.deepEqual(
    await database.query(`select key_column, count(*)::int, count(*) filter (where created_at = 'infinity')::int as kept
      from change_feed.stream_events join change_feed.streams s on s.id = stream_id group by 1 order by 1`),
    [
      { key_column: "id", count: 3 * 51, kept: 3 },
      { key_column: "shop", count: 300, kept: 0 },
    ],
  );
});
