import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { inTurn } from "../../packages/caller-pool/connectionShares.ts";
import { type Answer, useService } from "../support/service.ts";

/* A caller that holds its share of the connections makes only its own requests wait. Five connections: a share is two. */
const service = useService({ poolSize: 5, poolTimeoutMs: 1_000 });
const blocked = "{ postsCount }";

test("a flood of one user leaves the others their connections, and its own wait is bounded", async () => {
  const lock = await service.database.hold("lock app_public.posts in access exclusive mode");
  const flood = Array.from({ length: 20 }, () => service.ask(blocked, { as: "ada" }));
  await lock.somebodyWaits();
  expect(await service.ask("{ me { name } }", { as: "bob" })).toEqual({ data: { me: { name: "Bob" } } });
  const waiting = service.ask(`{ user(id: "2") { name } }`, { as: "ada" });
  expect(await service.ask(`{ user(id: "2") { name } }`)).toEqual({ data: { user: { name: "Bob" } } });
  expect((await waiting).errors?.[0]?.extensions).toEqual({ code: "SERVICE_UNAVAILABLE" });
  await lock.release();
  const answers: Answer[] = await Promise.all(flood);
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(2);
  expect(codes.filter((code) => code === "SERVICE_UNAVAILABLE")).toHaveLength(18);
});

test("a client that has disconnected is not in the queue any more", async () => {
  const lock = await service.database.hold("lock app_public.posts in access exclusive mode");
  const gone = new AbortController();
  const headers = { "content-type": "application/json", ...(await service.headersOf("ada")) };
  const init = { method: "POST", headers, body: JSON.stringify({ query: blocked }), signal: gone.signal };
  const flood = Array.from({ length: 10 }, () => fetch(service.url, init).catch(() => {}));
  const awaited = async () =>
    /database_connections_awaited (\d+)/.exec(await (await fetch(`${service.app.url}/metrics`)).text())?.[1];
  while ((await awaited()) !== "8") await lock.somebodyWaits();
  gone.abort();
  await Promise.all(flood);
  while ((await awaited()) !== "0");
  await lock.release();
});

test("a caller that pauses is served at once when nobody else uses the pool any more", async () => {
  const pool = new pg.Pool({ max: 4 });
  const as = (quotaKey: string) => ({ quotaKey, settings: {} }) as never;
  await inTurn(pool, as("ada"), () => delay(700));
  // Bob counts as active for a second after his last use.
  await inTurn(pool, as("bob"), async () => {});
  const startedAt = performance.now();
  await inTurn(pool, as("ada"), async () => {});
  // A second, if the time went to nobody.
  expect(performance.now() - startedAt).toBeLessThan(800);
});
