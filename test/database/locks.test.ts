import { clientAt } from "../support/client.ts";
import { useService } from "../support/service.ts";

/* Somebody holds a row, in psql or by a long transaction. Writers wait for it: not for long, and not on all connections. */
const writers = 8;
const impatient = useService({ poolSize: 4, lockTimeoutMs: 1, drainTimeoutMs: 500 });
const patient = useService({ poolSize: 4, lockTimeoutMs: 60_000, statementTimeoutMs: 60_000, drainTimeoutMs: 500 });

beforeAll(async () => {
  for (const { database } of [impatient, patient]) {
    await database.query(`
      create function app_public.touch(id bigint) returns int language sql volatile security definer
        set search_path = pg_catalog, pg_temp as 'update app_public.users set bio = bio where users.id = touch.id returning 1';
      create function app_public.touched(id bigint) returns int language sql stable
        as 'select 1 from app_public.users where users.id = touched.id';
      grant execute on all functions in schema app_public to api_anonymous, api_member`);
  }
  for (const { app } of [impatient, patient]) await app.rebuild();
});

const holdRow = "update app_public.users set bio = 'held' where id = 1";
const touch = 'mutation { touch(id: "1") }';

test("a writer that waits for too long is told so, and has written nothing", async () => {
  const lock = await impatient.database.hold(holdRow);
  for (const query of [touch, `mutation { touch(id: "1") other: touch(id: "1") }`]) {
    const { errors } = await impatient.ask(query, { as: "bob" });
    expect(errors?.[0]).toMatchObject({
      message: "Another change came in between. Try again.",
      extensions: { code: "CONFLICT" },
    });
  }
  await lock.release();
  expect(await impatient.ask(touch, { as: "bob" })).toEqual({ data: { touch: 1 } });
});

test("so is a reader of a table that is locked, at once", async () => {
  const lock = await impatient.database.hold("lock table app_public.tags in access exclusive mode");
  const { errors } = await impatient.ask("{ tagsConnection { nodes { name } } }");
  expect(errors).toMatchObject([{ extensions: { code: "CONFLICT" } }]);
  await lock.release();
});

test("writers that wait for one row leave connections to readers of others", async () => {
  const lock = await patient.database.hold(holdRow);
  const { pipeline } = patient.app;
  const sendFrom = async (address: string, query: string) => {
    const client = clientAt(address);
    await pipeline.handle(() => ({ query }), client);
    return client.heldResult.content.toString();
  };
  const waiting = Array.from({ length: writers }, (_, i) => sendFrom(`192.0.2.${i}`, touch));
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await patient.database.query(waits)).length < 3);
  const metrics = await (await fetch(`${patient.app.url}/metrics`)).text();
  expect(metrics).toContain(`database_connections_awaited ${writers - 3}\n`);
  for (let n = 0; n < 10; n++)
    expect(await sendFrom("198.51.100.1", "{ user(id: 2) { name } }")).toBe('{"data":{"user":{"name":"Bob"}}}');
  expect(await patient.database.query(waits)).toHaveLength(3);
  await lock.release();
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => '{"data":{"touch":1}}'));
});
