import pg from "pg";
import type { Change, Feed, FeedRequest } from "postgraphile-change-feed";
import { killListeners } from "../messages/support/chats.ts";
import { Reader } from "../messages/support/Reader.ts";
import { useStreams } from "../messages/support/stream.ts";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/* What change_feed.stream() records: the order of commits, without gaps, at the cost of one statement. */
const database = useDatabase();
const streams = useStreams(database);

beforeAll(async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, status)
      select 1, 'Post ' || n, 'Text.', 'PUBLISHED' from generate_series(1, 20) n;
    select change_feed.stream('app_public.comments', 'post_id');`);
});

async function streamOf(table: string, kind: string): Promise<Feed> {
  const [stream] = await database.query<Feed & pg.QueryResultRow>(
    `select id, name, kind, key_type as "keyType", id_type as "idType", may_read is null as "asksPolicies",
            number_column is not null as "hasNumbers"
       from change_feed.stream_sources join change_feed.stream_names using (id)
      where relation = $1::regclass and kind = $2`,
    [table, kind],
  );
  return stream as Feed;
}

async function wishOf(kind: string, key: string, viewerId: string = people.bob): Promise<FeedRequest> {
  return { feed: await streamOf("app_public.comments", kind), key, viewerId, unknownAfter: "Gone." };
}

const insert = "insert into app_public.comments (post_id, author_id, text) values ($1, 1, 'Hello') returning id";

async function makePost(): Promise<string> {
  const [post] = await database.query<{ id: string }>(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Post', 'Text.', 'PUBLISHED') returning id",
  );
  return post?.id as string;
}

async function numbersOf(key: string, kind = "added"): Promise<number[]> {
  const { id } = await streamOf("app_public.comments", kind);
  const rows = await database.query<{ number: string }>(
    "select number from change_feed.stream_events where stream_id = $1 and key = $2 order by number",
    [id, key],
  );
  return rows.map(({ number }) => Number(number));
}

test("of concurrent transactions with rollbacks and savepoints, each committed row arrives once, in order, while connections are killed", async () => {
  const stream = await streams.start();
  const reader = new Reader(await stream.subscribe(await wishOf("added", "1")));
  const transact = async (index: number) => {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    await client.query("begin");
    for (let turn = 0; turn < 10; turn++) {
      await client.query("savepoint turn");
      await client.query(insert, ["1"]);
      await client.query(turn % 5 === 4 ? "rollback to turn" : "release turn");
    }
    await client.query(index % 5 === 4 ? "rollback" : "commit");
    await client.end();
    if (index % 5 === 0) await killListeners(database);
  };
  await Promise.all(Array.from({ length: 10 }, (_, index) => transact(index)));
  const written = await numbersOf("1");
  expect(written).toEqual(Array.from({ length: 8 * 8 }, (_, index) => index + 1));
  await reader.upTo(written.length);
  expect(reader.numbers).toEqual(written);
});

test("a row costs one head and one event, and a statement with many rows as many statements as one", async () => {
  const counts = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    try {
      // The events are written at the commit.
      await client.query(`begin; ${sql}; set constraints all immediate`);
      const { rows } = await client.query(`
        select relname, n_tup_ins::int as inserted, n_tup_upd::int as updated, n_tup_del::int as deleted
          from pg_stat_xact_user_tables where schemaname = 'change_feed' and relname ~ '^stream' order by relname`);
      return rows.filter(({ inserted, updated, deleted }) => inserted + updated + deleted > 0);
    } finally {
      await client.end();
    }
  };
  await database.query(insert, ["2"]);
  const one = "insert into app_public.comments (post_id, author_id, text) values (2, 1, 'One')";
  expect(await counts(one)).toEqual([
    { relname: "stream_events", inserted: 1, updated: 0, deleted: 0 },
    { relname: "stream_heads", inserted: 0, updated: 1, deleted: 0 },
  ]);
  const many =
    "insert into app_public.comments (post_id, author_id, text) select 2, 1, 'Many' from generate_series(1, 500)";
  expect(await counts(many)).toEqual([
    { relname: "stream_events", inserted: 500, updated: 0, deleted: 0 },
    { relname: "stream_heads", inserted: 0, updated: 1, deleted: 0 },
  ]);
});

test("writers of the same keys in opposite orders do not end in a deadlock", async () => {
  const write = async (order: string) => {
    for (let turn = 0; turn < 5; turn++) {
      await database.query(`insert into app_public.comments (post_id, author_id, text)
        select id, 1, 'All' from app_public.posts where id > 2 order by id ${order}`);
    }
  };
  await Promise.all([write("asc"), write("desc"), write("asc"), write("desc")]);
  expect(await numbersOf("3")).toHaveLength(20);
});

test("transactions that write two keys in opposite orders, in statements of their own, all commit", async () => {
  const [first = "", second = ""] = [await makePost(), await makePost()];
  const write = async (...keys: string[]) => {
    const client = await database.owner.connect();
    try {
      await client.query("begin");
      for (const key of keys) {
        await client.query(insert, [key]);
        // Both have written one key before any writes the other one.
        await meet();
      }
      await client.query("commit");
    } finally {
      client.release();
    }
  };
  let [arrived, turn] = [0, Promise.withResolvers<void>()];
  const meet = async () => {
    const { promise, resolve } = turn;
    if (++arrived % 2 === 0) {
      turn = Promise.withResolvers();
      resolve();
    }
    await promise;
  };
  for (let turns = 0; turns < 8; turns++) await Promise.all([write(first, second), write(second, first)]);
  for (const key of [first, second]) {
    expect(await numbersOf(key)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
  }
});

test("an open transaction holds up no other writer of its key, and its events follow those committed before", async () => {
  const key = await makePost();
  const client = await database.owner.connect();
  try {
    await client.query("begin");
    await client.query(insert, [key]);
    await database.query(insert, [key]);
    expect(await numbersOf(key)).toEqual([1]);
    await client.query("commit");
  } finally {
    client.release();
  }
  expect(await numbersOf(key)).toEqual([1, 2]);
  expect(await database.query("select from change_feed.pending_events")).toEqual([]);
});

test("the rows of one statement come in the order of their ids, and a cascade is recorded", async () => {
  const stream = await streams.start({ heartbeatMs: 50 });
  const key = await makePost();
  const reader = new Reader(await stream.subscribe(await wishOf("added", key)));
  const rows = await database.query<{ id: string }>(
    "insert into app_public.comments (post_id, author_id, text) select $1, 1, 'x' from generate_series(1, 120) returning id",
    [key],
  );
  await reader.upTo(120);
  expect(reader.received.map(({ rowId }) => rowId)).toEqual(rows.map(({ id }) => id));
  await database.query("delete from app_public.posts where id = $1", [key]);
  expect(await numbersOf(key, "deleted")).toHaveLength(120);
  await reader.finished;
});

test("stream() can be called again: with fewer kinds it forgets the others, without any it ends the stream", async () => {
  const call = (kinds: string) =>
    database.query("select change_feed.stream('app_public.comments', 'author_id', $1)", [kinds]);
  const kindsOf = async () => {
    const rows = await database.query<{ kind: string }>(
      "select kind from change_feed.streams where relation = 'app_public.comments'::regclass and key_column = 'author_id' order by kind",
    );
    return rows.map(({ kind }) => kind);
  };
  const triggers = async () =>
    database.query(
      "select from pg_trigger where tgrelid = 'app_public.comments'::regclass and tgname ~ '^_900_stream_author_id'",
    );
  await call("{added,deleted}");
  await call("{added,deleted}");
  expect([await kindsOf(), await triggers()]).toEqual([
    ["added", "deleted"],
    [{}, {}, {}],
  ]);
  await database.query(insert, ["1"]);
  await call("{deleted}");
  expect(await kindsOf()).toEqual(["deleted"]);
  await call("{}");
  expect([await kindsOf(), await triggers()]).toEqual([[], []]);
});

describe("a table with a column that is null until a row belongs to the stream", () => {
  const kindsOf = (key: string) =>
    database.query<{ kind: string; row_id: string }>(
      `select kind, row_id from change_feed.stream_events join change_feed.streams on streams.id = stream_id
        where relation = 'app_public.parcels'::regclass and key = $1 order by kind, number`,
      [key],
    );

  beforeAll(async () => {
    await database.query(`
      create table app_public.parcels (
        id bigint primary key, post_id bigint not null references app_public.posts, weight int, sent_at timestamptz);
      create index on app_public.parcels (post_id);
      select change_feed.stream('app_public.parcels', 'post_id', since_column => 'sent_at')`);
  });

  test("records a row when it gets a value, and not before", async () => {
    await database.query("insert into app_public.parcels (id, post_id) values (1, 3), (2, 3), (3, 3)");
    await database.query("update app_public.parcels set weight = 5");
    await database.query("delete from app_public.parcels where id = 2");
    expect(await kindsOf("3")).toEqual([]);
    await database.query("update app_public.parcels set sent_at = now() where id = 1");
    await database.query("update app_public.parcels set weight = 6");
    await database.query("insert into app_public.parcels (id, post_id, sent_at) values (4, 3, now())");
    await database.query("update app_public.parcels set post_id = 4 where id = 4");
    await database.query("update app_public.parcels set sent_at = null where id = 1");
    await database.query("delete from app_public.parcels");
    const of = (kind: string, id: string) => ({ kind, row_id: id });
    expect(await kindsOf("3")).toEqual([
      of("added", "1"),
      of("added", "4"),
      of("deleted", "4"),
      of("deleted", "1"),
      of("updated", "1"),
    ]);
    expect(await kindsOf("4")).toEqual([of("added", "4"), of("deleted", "4")]);
  });
});

describe("a table with uuids", () => {
  const room = "0b1f6a0c-6f0e-4c5c-9d67-3f2a4d1f0001";

  beforeAll(async () => {
    await database.query(`
      create table app_public.rooms (id uuid primary key);
      create table app_public.notes (id uuid primary key default gen_random_uuid(), room_id uuid references app_public.rooms, heading text);
      alter table app_public.rooms enable row level security;
      create policy all_rooms on app_public.rooms for select to api_member using (true);
      grant select on app_public.rooms, app_public.notes to api_member;
      select change_feed.stream('app_public.notes', 'room_id', keep => '1 hour');
      insert into app_public.rooms values ('${room}')`);
  });

  test("is streamed as well; rows without a key are in no stream", async () => {
    const stream = await streams.start();
    const wish = { feed: await streamOf("app_public.notes", "added"), viewerId: people.bob, unknownAfter: "Gone." };
    const reader = new Reader(await stream.subscribe({ ...wish, key: room.toUpperCase() }));
    const rows = await database.query<{ id: string }>(
      `insert into app_public.notes (room_id) values ('${room}'), (null) returning id`,
    );
    await reader.upTo(1);
    expect(reader.received).toMatchObject([{ rowId: rows[0]?.id, key: room, number: 1 }]);
    const after = new Reader(await stream.subscribe({ ...wish, key: room, after: rows[0]?.id as string }));
    await database.query(`insert into app_public.notes (room_id) values ('${room}')`);
    await after.upTo(2);
    expect(after.numbers).toEqual([2]);
    await expect(stream.subscribe({ ...wish, key: "1" })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(stream.subscribe({ ...wish, key: room, after: "1" })).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
    await expect(stream.subscribe({ ...wish, key: room, viewerId: "" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

test("a row that changes or gets another key after the read of its event is no longer the one that all may share", async () => {
  const stream = await streams.start();
  const key = await makePost();
  const wish = await wishOf("added", key);
  const reader = new Reader(await stream.subscribe(wish));
  await database.query(insert, [key]);
  await reader.upTo(1);
  const [event] = reader.received as [Change];
  expect(await stream.isUnchanged(wish.feed, event)).toBe(true);
  await database.query("update app_public.comments set text = 'Other' where id = $1", [event.rowId]);
  expect(await stream.isUnchanged(wish.feed, event)).toBe(false);
  await database.query("delete from app_public.comments where id = $1", [event.rowId]);
  expect(await stream.isUnchanged(wish.feed, event)).toBe(false);
});

test("a row that has another key by the time of the read is left out", async () => {
  const stream = await streams.start();
  const [from, to] = [await makePost(), await makePost()];
  const subscribe = async (kind: string, key: string) => new Reader(await stream.subscribe(await wishOf(kind, key)));
  const [first, second, deleted] = await Promise.all([
    subscribe("added", from),
    subscribe("added", to),
    subscribe("deleted", from),
  ]);
  await database.query(`begin;
    insert into app_public.comments (post_id, author_id, text) values (${from}, 1, 'Moves at once'), (${from}, 1, 'Stays');
    update app_public.comments set post_id = ${to} where text = 'Moves at once';
    commit`);
  await Promise.all([first.upTo(2), second.upTo(1), deleted.upTo(1)]);
  expect([first.numbers, second.numbers, deleted.numbers]).toEqual([[2], [1], [1]]);
  expect(second.received[0]?.rowId).toBe(deleted.received[0]?.rowId);
});

test("the rights of a crowd are asked in parts, and a lost right ends each subscription", async () => {
  const stream = await streams.start({ heartbeatMs: 600_000 });
  const crowd = await database.query<{ id: string }>(
    `with made as (insert into app_public.users (name) select 'User ' || n from generate_series(1, 300) n returning id)
     insert into app_private.accounts (user_id, email) select id, 'user' || id || '@example.com' from made returning user_id as id`,
  );
  const key = await makePost();
  const wish = await wishOf("added", key);
  const subscriptions = await Promise.all(crowd.map(({ id }) => stream.subscribe({ ...wish, viewerId: id })));
  const readers = subscriptions.map((subscription) => new Reader(subscription));
  await database.query(insert, [key]);
  await Promise.all(readers.map((reader) => reader.upTo(1)));
  const statements = await statementsOf(async () => {
    await database.query(insert, [key]);
    await Promise.all(readers.map((reader) => reader.upTo(2)));
  });
  const asked = statements.filter((text) => text.includes("refused_subscribers")).length;
  // Again where the machine is so busy that a statement takes too long, and the stream is served aside.
  expect(asked).toBeGreaterThanOrEqual(2);
  expect(asked).toBeLessThan(10);
  await database.query("update app_public.posts set status = 'DRAFT' where id = $1", [key]);
  await database.query(insert, [key]);
  expect(new Set(await Promise.all(subscriptions.map(({ ended }) => ended)))).toEqual(new Set(["forbidden"]));
  expect(new Set(readers.map(({ received }) => received.length))).toEqual(new Set([2]));
});

test("clients of one address catch up with few keys at a time, and those of another do not wait for them, nor for twenty who read nothing", async () => {
  const stream = await streams.start({ pageSize: 10 });
  const wishes = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const key = await makePost();
      const [first] = await database.query<{ id: string }>(insert, [key]);
      await database.query(
        "insert into app_public.comments (post_id, author_id, text) select $1, 1, 'x' from generate_series(1, 50)",
        [key],
      );
      return { ...(await wishOf("added", key, "")), after: first?.id as string };
    }),
  );
  // These read nothing before the end.
  const crowds = ["two", "three", "four", "five", "six"].flatMap((quotaKey) =>
    wishes.slice(1).map((wish) => stream.subscribe({ ...wish, quotaKey })),
  );
  let opened = 0;
  const openings = wishes.map(async (wish) => {
    const subscription = await stream.subscribe({ ...wish, quotaKey: "one address" });
    opened += 1;
    return subscription;
  });
  for (const wish of wishes) await new Reader(await stream.subscribe({ ...wish, quotaKey: "another" })).upTo(51);
  expect(opened).toBe(4);
  await Promise.all([...crowds, ...openings].map(async (opening) => new Reader(await opening).upTo(51)));
});

test("a policy that fails is an error of its own stream only", async () => {
  const stream = await streams.start({ heartbeatMs: 600_000 });
  await database.query(`
    create table app_public.broken (id bigint primary key);
    create table app_public.parts (id bigint primary key, broken_id bigint references app_public.broken);
    alter table app_public.broken enable row level security;
    create policy fails on app_public.broken for select to api_member using (1 / (id - 1) > 0);
    grant select on app_public.broken, app_public.parts to api_member;
    select change_feed.stream('app_public.parts', 'broken_id');
    insert into app_public.broken values (1)`);
  const wish = {
    feed: await streamOf("app_public.parts", "added"),
    key: "1",
    viewerId: people.bob,
    unknownAfter: "Gone.",
  };
  const [failed, good] = await Promise.allSettled([
    stream.subscribe(wish),
    stream.subscribe(await wishOf("added", "3")),
  ]);
  expect(failed).toMatchObject({ reason: { code: "SERVICE_UNAVAILABLE" } });
  expect(good).toMatchObject({ status: "fulfilled" });
  expect(stream.status.losses).toBe(0);
});

describe("a partitioned table", () => {
  const recorded = () =>
    database.query<{ kind: string; row_id: string }>(
      `select kind, row_id from change_feed.stream_events join change_feed.streams on id = stream_id
        where relation = 'app_private.readings'::regclass order by row_id, kind`,
    );
  beforeAll(() =>
    database.query(`
      create table app_private.readings (id bigint primary key, sensor_id bigint) partition by range (id);
      create table app_private.readings_low partition of app_private.readings for values from (0) to (100);
      create function app_private.may_read_sensor(key bigint, viewer_id bigint, out may_read boolean) language sql return true;
      select change_feed.stream('app_private.readings', 'sensor_id', may_read => 'app_private.may_read_sensor');
    `),
  );

  test("records rows that are written by its name and by that of a partition", async () => {
    await database.query(`
      insert into app_private.readings values (1, 7);
      insert into app_private.readings_low values (2, 7), (3, 7);
      update app_private.readings_low set id = 4 where id = 3;
      delete from app_private.readings where id = 1;
      delete from app_private.readings_low where id = 2;`);
    expect((await recorded()).map(({ kind, row_id }) => `${kind} ${row_id}`)).toEqual([
      "added 1",
      "deleted 1",
      "added 2",
      "deleted 2",
      "added 3",
      "deleted 3",
      "added 4",
    ]);
  });

  test("refuses each write once its column is renamed, until stream() is called again", async () => {
    await database.query("alter table app_private.readings rename sensor_id to probe_id");
    for (const write of [
      "insert into app_private.readings values (10, 7)",
      "update app_private.readings_low set probe_id = 8",
      "delete from app_private.readings",
    ]) {
      await expect(database.query(write)).rejects.toThrow(
        "The stream of app_private.readings has lost its column sensor_id",
      );
    }
    await database.query(`
      select change_feed.stream('app_private.readings', 'sensor_id', kinds => '{}');
      select change_feed.stream('app_private.readings', 'probe_id', may_read => 'app_private.may_read_sensor');
      insert into app_private.readings values (10, 7);`);
    expect(await recorded()).toEqual([{ kind: "added", row_id: "10" }]);
  });
});
