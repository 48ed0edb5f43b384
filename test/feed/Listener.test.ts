import { EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import { pino } from "pino";
import { Listener, type ListenerSettings } from "postgraphile-change-feed";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const log = pino({ level: "silent" });
const stops: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A listener on two channels. The user of the first one fails each time. */
async function start(settings: Partial<ListenerSettings> = {}) {
  const listener = new Listener({ connectionString: database.apiUrl, log, ...settings });
  const events = new EventEmitter();
  const fail = () => {
    throw new Error("This user always fails");
  };
  listener.handle("first", { notified: fail, lost: fail, restored: fail });
  listener.handle("second", {
    notified: (payload) => events.emit("notified", payload),
    lost: () => events.emit("lost"),
    restored: () => events.emit("restored"),
  });
  await listener.start();
  stops.unshift(() => listener.close());
  return { listener, events };
}

const listeningPids = async () =>
  (
    await database.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and application_name = 'content-service listener'",
    )
  ).map(({ pid }) => pid);

test("the error of one channel's user reaches no other channel: notifications, loss and restoration", async () => {
  const { events } = await start();
  const [pid, ...others] = await listeningPids();
  expect(others).toEqual([]);
  const notified = once(events, "notified");
  await database.query("notify first; notify second, 'hello'");
  expect(await notified).toEqual(["hello"]);

  const turned = Promise.all([once(events, "lost"), once(events, "restored")]);
  await database.query("select pg_terminate_backend($1)", [pid]);
  await turned;
  const again = once(events, "notified");
  await database.query("notify first; notify second, 'again'");
  expect(await again).toEqual(["again"]);
});

test("a half-open connection is noticed and replaced, though nobody asks anything", async () => {
  const proxy = await DroppingProxy.start(database.apiUrl);
  stops.push(() => proxy.stop());
  const { events } = await start({ connectionString: proxy.url, heartbeatMs: 20, respondWithinMs: 1_000 });
  const restored = once(events, "restored");
  proxy.drop();
  await restored;
  const notified = once(events, "notified");
  await database.query("notify second, 'hello'");
  expect(await notified).toEqual(["hello"]);
});

test("close() leaves no connection behind", async () => {
  const { listener } = await start();
  await listener.close();
  while ((await listeningPids()).length > 0);
});

test("close() does not wait for a connection that is being opened", async () => {
  const proxy = await DroppingProxy.start(database.apiUrl);
  const { listener } = await start({ connectionString: proxy.url, respondWithinMs: 600_000 });
  const silent = createServer();
  await proxy.stop();
  silent.listen(Number(new URL(proxy.url).port), "127.0.0.1");
  const [socket] = await once(silent, "connection");
  await listener.close();
  socket.destroy();
  silent.close();
});

test("start() rejects when the database cannot be reached", async () => {
  const nowhere = Object.assign(new URL(database.apiUrl), { port: "1" }).href;
  await expect(start({ connectionString: nowhere })).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
