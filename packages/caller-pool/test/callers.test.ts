import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import pg from "pg";
import { busyMs } from "../connectionShares.ts";
import {
  type AccessOptions,
  ByteBudget,
  type Caller,
  type CallerClient,
  createPool,
  type DatabaseAccess,
  endPool,
  isApiError,
  makeDatabaseAccess,
  type PoolSettings,
  ResultNotRead,
  type Route,
  waitingFor,
} from "../index.ts";

/* Accounts that belong to users. The pool's login may read none of them: it has to become a user first. */
const database = await startDatabase(`
  create role visitor;
  create role app_user;
  create role pool_login login noinherit;
  grant visitor, app_user to pool_login;
  create table users (id int primary key, is_banned boolean not null default false);
  create table accounts (id int primary key, user_id int references users, balance int check (balance >= 0));
  insert into users values (1, false), (2, false), (3, true);
  insert into accounts values (10, 1, 100), (11, 1, 100), (20, 2, 200);
  alter table accounts enable row level security;
  create policy own on accounts to app_user using (user_id = current_setting('app.user_id')::int);
  grant select, update on accounts to app_user;
  create function identify(user_id text) returns text language plpgsql security definer as $$
    begin
      if exists (select from users where id::text = user_id and is_banned) then
        raise exception 'banned' using errcode = 'BANND';
      end if;
      return case when user_id is null then 'visitor' else 'app_user' end;
    end $$;
  create table written (id int primary key);
  grant insert, select on written to app_user;
  create function end_connection() returns trigger language plpgsql security definer as
    'begin perform pg_terminate_backend(pg_backend_pid()); return null; end';
  create constraint trigger written after insert on written deferrable initially deferred
    for each row when (new.id < 0) execute function end_connection();`);
const pools: pg.Pool[] = [];
after(async () => {
  await Promise.all(pools.map(endPool));
  await database[Symbol.asyncDispose]();
});

function open<C extends Caller = Caller>(
  settings: Partial<PoolSettings> = {},
  options?: AccessOptions<C>,
  route?: Route,
): { pool: pg.Pool; access: DatabaseAccess<C> } {
  const pool = createPool({ connectionString: database.urlOf("pool_login"), size: 1, ...settings }, undefined, route);
  pools.push(pool);
  return { pool, access: makeDatabaseAccess<C>(pool, options) };
}

const user = (id: number, more: Partial<Caller> = {}): Caller => ({
  quotaKey: `user ${id}`,
  settings: { role: "app_user", "app.user_id": String(id) },
  ...more,
});
const whoAmI = {
  name: "who",
  text: "select concat(current_user, ' ', current_setting('app.user_id', true))",
  values: [],
};
const balance = { name: "sum", text: "select sum(balance)::text from accounts", values: [] };
const hasCode = (code: string) => (error: unknown) => isApiError(error) && error.code === code;

test("a transaction has the role and the settings of its caller, and the connection keeps nothing of them", async () => {
  const { pool, access } = open();
  for (const [id, sum] of [
    [1, "200"],
    [2, "200"],
  ] as const) {
    assert.equal(await access.atOnce(user(id), [whoAmI]), `app_user ${id}`);
    assert.equal(await access.atOnce(user(id), [balance]), sum);
    const seen = await access.as(user(id))(null, async (client) => {
      const { rows } = await client.query<{ who: string }>({ text: `${whoAmI.text} as who` });
      return rows[0]?.who;
    });
    assert.equal(seen, `app_user ${id}`);
    const { rows } = await pool.query(`${whoAmI.text} as who`);
    assert.deepEqual(rows, [{ who: "pool_login " }]);
  }
});

test("a caller without settings is refused: it would have the rights of the login", async () => {
  const { pool, access } = open();
  await assert.rejects(access.atOnce({ quotaKey: "" }, [whoAmI]), /The caller has no `settings`/);
  await assert.rejects(
    access.as({ quotaKey: "" })(null, () => {}),
    /The caller has no `settings`/,
  );
  assert.deepEqual((await pool.query("select 1 as one")).rows, [{ one: 1 }]);
});

interface Member extends Caller {
  userId: number | undefined;
}
const identify = ({ userId }: Member) => ({
  name: "identify",
  text: "select set_config('role', identify($1), true), set_config('app.user_id', coalesce($1, '0'), true)",
  values: [userId === undefined ? null : String(userId)],
});
const member = (userId?: number): Member => ({ quotaKey: String(userId), userId });

test("identify may look the caller up; if it refuses, nothing else runs and its error is reported", async () => {
  const { access } = open<Member>({}, { identify });
  assert.equal(await access.atOnce(member(1), [balance]), "200");
  const banned = { code: "BANND" };
  await assert.rejects(access.atOnce(member(3), [balance]), banned);
  let ran = false;
  const work = access.as(member(3))(null, async (client) => {
    await client.query({ text: "select" });
    ran = true;
  });
  await assert.rejects(work, banned);
  assert.equal(ran, false);
  assert.equal(await access.atOnce(member(2), [whoAmI]), "app_user 2");
});

test("a connection that rests as a role needs no identity for callers of that role", async () => {
  let calls = 0;
  const counted = (caller: Member) => {
    calls += 1;
    return identify(caller);
  };
  const resting = { role: "visitor", suffices: (caller: Caller) => (caller as Member).userId === undefined };
  const { access } = open<Member>({ resting }, { identify: counted });
  assert.equal(await access.atOnce(member(), [whoAmI]), "visitor ");
  assert.equal(calls, 0);
  assert.equal(await access.atOnce(member(2), [whoAmI]), "app_user 2");
  assert.equal(calls, 1);
  const { rows } = await access.asLogin(null, (client) => client.query({ text: "select current_user as name" }));
  assert.deepEqual(rows, [{ name: "pool_login" }]);
});

test("the login's statements may take longer than those of callers", async () => {
  const { access } = open({ statementTimeoutMs: 500 }, { loginTimeoutMs: 10_000 });
  const sleeps: Parameters<typeof access.asLogin>[1] = (client) => client.query({ text: "select pg_sleep(0.7)" });
  await access.asLogin(null, sleeps);
  await assert.rejects(access.as(user(1))(null, sleeps) as Promise<unknown>, { code: "57014" });
});

test("several statements are one transaction and one round trip; the last one's value is returned", async () => {
  const { pool, access } = open();
  let responses = 0;
  pool.on("connect", (client) => {
    // node-postgres does not declare it.
    const { connection } = client as unknown as { connection: { on(event: string, act: () => void): void } };
    connection.on("readyForQuery", () => {
      responses += 1;
    });
  });
  await access.atOnce(user(1), [whoAmI]);
  responses = 0;
  const move = (id: number, by: number) => ({
    name: "move",
    text: "update accounts set balance = balance + $2 where id = $1",
    values: [String(id), String(by)],
  });
  const read = { name: "read", text: "select balance::text from accounts where id = 11", values: [] };
  assert.equal(await access.atOnce(user(1), [move(10, -30), move(11, 30), read]), "130");
  assert.equal(responses, 1);
  await assert.rejects(access.atOnce(user(1), [move(11, 70), move(10, -71), read]), { code: "23514" });
  assert.equal(await access.atOnce(user(1), [read]), "130");
  const unreadable = { name: "none", text: "select 1 / (balance - balance) from accounts limit 1", values: [] };
  await assert.rejects(access.atOnce(user(1), [move(11, 1), unreadable]), (error) => error instanceof ResultNotRead);
  assert.equal(await access.atOnce(user(1), [move(11, -30), move(10, 30), read]), "100");
});

test("a failed transaction is rolled back, and its connection serves on", async () => {
  const { access } = open();
  const failing = access.as(user(1))(null, async (client) => {
    await client.query({ text: "update accounts set balance = 0" });
    throw new Error("changed my mind");
  });
  await assert.rejects(failing, /changed my mind/);
  assert.equal(await access.atOnce(user(1), [balance]), "200");
});

test("explainError gives PostgreSQL's error another form, and may read as the login", async () => {
  const { access } = open(
    {},
    {
      async explainError({ constraint }, login) {
        const { rows } = await login.query<{ name: string }>("select current_user::text as name");
        return new Error(`${constraint}, found by ${rows[0]?.name}`);
      },
    },
  );
  const overdraw = { name: "overdraw", text: "update accounts set balance = -1", values: [] };
  await assert.rejects(access.atOnce(user(1), [overdraw]), /^Error: accounts_balance_check, found by pool_login$/);
});

test("a result beyond the budget is cut, for all statements of a request together", async () => {
  const { access } = open();
  const large = { name: "large", text: "select repeat('x', 20000)", values: [] };
  const budget = new ByteBudget(30_000);
  assert.equal((await access.atOnce(user(1, { budget }), [large]))?.length, 20_000);
  await assert.rejects(access.atOnce(user(1, { budget }), [large]), hasCode("VALIDATION_ERROR"));
  assert.equal(await access.atOnce(user(1), [whoAmI]), "app_user 1");
});

test("what a caller that has disconnected asks for is not run", async () => {
  const { access } = open();
  const signal = AbortSignal.abort();
  const write = { name: "write", text: "insert into written values (1)", values: [] };
  await assert.rejects(access.atOnce(user(1, { signal }), [write]), hasCode("SERVICE_UNAVAILABLE"));
  assert.deepEqual(await database.query("select id from written"), []);
});

test("a write whose commit breaks has an unknown outcome; a read has PostgreSQL's error", async () => {
  const { access } = open();
  const write = { name: "write", text: "insert into written values (-1)", values: [] };
  await assert.rejects(access.atOnce(user(1, { writes: true }), [write]), hasCode("OUTCOME_UNKNOWN"));
  await assert.rejects(access.atOnce(user(1), [write]), { code: "57P01" });
  assert.equal(await access.atOnce(user(1), [whoAmI]), "app_user 1");
});

test("a deadlock's victim runs again", async () => {
  const { access } = open({ size: 4 });
  const bothLocked = Promise.withResolvers<void>();
  let locked = 0;
  const move = (first: number, second: number) =>
    access.as(user(1))(null, async (client) => {
      const lock = (id: number) =>
        client.query({ text: "select from accounts where id = $1 for update", values: [id] });
      await lock(first);
      locked += 1;
      if (locked === 2) bothLocked.resolve();
      await bothLocked.promise;
      await lock(second);
      return "done";
    });
  assert.deepEqual(await Promise.all([move(10, 11), move(11, 10)]), ["done", "done"]);
  assert.equal(locked, 3);
});

test("statements are prepared from their second use on, for each role by itself", async () => {
  const { pool, access } = open();
  const prepared = async () => {
    const { rows } = await pool.query<{ names: string }>(
      "select count(*)::int as names from pg_prepared_statements where statement = $1",
      [balance.text],
    );
    return rows[0]?.names;
  };
  const admin = { quotaKey: "admin", settings: { role: "none", "app.user_id": "0" } };
  const counts = [];
  for (const caller of [user(1), user(2), user(1)]) {
    await access.atOnce(caller, [balance]);
    counts.push(await prepared());
  }
  assert.deepEqual(counts, [0, 1, 1]);
  for (const _ of [1, 2]) await assert.rejects(access.atOnce(admin, [balance]), { code: "42501" });
});

test("behind a pooler, each transaction brings the pool's settings, and statements have no names", async () => {
  const { pool, access } = open({ settings: { search_path: "pg_catalog, public" } }, {}, "transaction");
  const path = { name: "path", text: "select current_setting('search_path')", values: [] };
  for (const _ of [1, 2, 3]) assert.equal(await access.atOnce(user(1), [path]), "pg_catalog, public");
  assert.deepEqual((await pool.query("select name from pg_prepared_statements")).rows, []);
});

test("settings with spaces and quotes reach a direct connection as they are", async () => {
  const { pool } = open({ settings: { search_path: `"$user", public`, "app.word": String.raw`it's a \ b` } });
  const { rows } = await pool.query(
    "select current_setting('search_path') as path, current_setting('app.word') as word",
  );
  assert.deepEqual(rows, [{ path: `"$user", public`, word: String.raw`it's a \ b` }]);
});

test("a caller that holds its share of the connections makes only itself wait", async () => {
  const { pool, access } = open({ size: 5, connectionTimeoutMs: 60_000 });
  const holder = await database.connect();
  await holder.query("select pg_advisory_lock(1)");
  const blocked = { name: "blocked", text: "select pg_advisory_xact_lock(1)::text", values: [] };
  const flood = Array.from({ length: 10 }, () => access.atOnce(user(1), [blocked]));
  const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
  while ((await database.query(waiting)).length < 2);
  assert.equal(await access.atOnce(user(2), [whoAmI]), "app_user 2");
  assert.equal(waitingFor(pool), 8);
  await holder.query("select pg_advisory_unlock(1)");
  await Promise.all(flood);
  assert.equal(waitingFor(pool), 0);
});

test("waiting for a lock is not charged as work", () => {
  const refused = Object.assign(new pg.DatabaseError("canceling statement due to lock timeout", 0, "error"), {
    code: "55P03",
  });
  assert.equal(busyMs(2_000, false, refused), 0);
  assert.equal(busyMs(2_000, true), 250);
  assert.equal(busyMs(20, true), 20);
  assert.equal(busyMs(2_000, false), 2_000);
});

/** Each way in which a function that was given a client may end. */
const endings: Record<string, (client: CallerClient) => unknown> = {
  "it returns": () => undefined,
  "it returns a promise": (client) => client.query({ text: "select" }),
  "it throws": () => {
    throw new Error("no");
  },
  "a statement fails": (client) => client.query({ text: "select 1 / 0" }),
  "its client has disconnected": (client) => client.query({ text: "select pg_sleep(0)" }),
};

for (const [ending, end] of Object.entries(endings)) {
  test(`a client that is kept is refused once ${ending}, and reads no rows of the next caller`, async () => {
    const { access } = open();
    const kept: CallerClient[] = [];
    const disconnect = new AbortController();
    const caller = user(1, { signal: disconnect.signal });
    for (const begin of [access.as(caller), access.asLogin]) {
      const ended = begin(null, async (client) => {
        await client.withTransaction(async (same) => kept.push(client, same));
        if (ending.includes("disconnected")) disconnect.abort();
        return end(client);
      });
      await Promise.allSettled([ended]);
    }
    const refused = { code: "TRANSACTION_ENDED", message: /Await each query/ };
    await access.as(user(2))(null, async (client) => {
      for (const other of kept) {
        await assert.rejects(other.query({ text: "select * from accounts" }), refused);
        await assert.rejects(
          other.withTransaction(async () => {}),
          refused,
        );
      }
      const { rows } = await client.query<{ id: number }>({ text: "select id from accounts" });
      assert.deepEqual(rows, [{ id: 20 }]);
    });
  });
}

test("what a function has begun and not awaited is part of its transaction, and fails it", async () => {
  const { access } = open();
  const add = (client: CallerClient, id: number) =>
    client.query({ text: "insert into written values ($1)", values: [id] });
  await access.as(user(1))(null, async (client) => {
    void add(client, 50).then(() => add(client, 51));
  });
  assert.deepEqual(await database.query("select id from written where id >= 50 order by 1"), [{ id: 50 }, { id: 51 }]);
  const forgetful = access.as(user(1))(null, async (client) => {
    await add(client, 52);
    void add(client, 50);
  });
  await assert.rejects(forgetful, { code: "23505" });
  const careless = access.as(user(1))(null, async (client) => {
    await add(client, 52);
    await add(client, 50).catch(() => {});
    return "done";
  });
  await assert.rejects(careless, { code: "23505" });
  assert.deepEqual(await database.query("select id from written where id > 51"), []);
});

test("a caller who disconnects between two statements, or before the commit, has done nothing", async () => {
  const { access } = open();
  for (const isLast of [false, true]) {
    const disconnect = new AbortController();
    let sent = 0;
    const writing = access.as(user(1, { signal: disconnect.signal, writes: true }))(null, async (client) => {
      await client.query({ text: "insert into written values (60)" });
      disconnect.abort();
      if (isLast) return;
      await client.query({ text: "insert into written values (61)" }).finally(() => sent++);
    });
    await assert.rejects(writing, hasCode("SERVICE_UNAVAILABLE"));
    assert.equal(sent, isLast ? 0 : 1);
    assert.deepEqual(await database.query("select id from written where id in (60, 61)"), []);
  }
});

test("a lost connection has a code, and what is no single statement is refused", async () => {
  const { access } = open();
  const lost = access.as(user(1))(null, async (client) => {
    const { rows } = await client.query<{ pid: number }>({ text: "select pg_backend_pid() as pid" });
    await database.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    for (;;) await client.query({ text: "select" });
  });
  await assert.rejects(
    lost,
    (error) => hasCode("SERVICE_UNAVAILABLE")(error) || (error as pg.DatabaseError).code === "57P01",
  );
  const ask = (query: unknown) => access.as(user(1))(null, (client) => client.query(query as never));
  await assert.rejects(ask("select 1"), {
    name: "TypeError",
    message: "query() takes a statement as { text, values }",
  });
  await assert.rejects(ask({ text: "select 1; select 2" }), { code: "42601" });
});
