import { EventEmitter, on } from "node:events";
import { pino } from "pino";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { readSettings } from "../../src/settings.ts";
import { startService } from "../../src/startService.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { useDatabase } from "../support/database.ts";
import { startHere } from "../support/startHere.ts";
import { databaseUrl, onServer } from "../support/template.ts";
import { until } from "../support/until.ts";

/* A start on a database that cannot be served says why in one sentence, and a stop never waits for a frozen one. */
const database = useDatabase();
const started: ServiceProcess[] = [];

afterEach(async () => {
  for (const service of started.splice(0)) await service.end("SIGKILL");
});

function start(environment: Record<string, string>): ServiceProcess {
  const service = new ServiceProcess({ DRAIN_TIMEOUT_MS: "100", ...environment });
  started.push(service);
  return service;
}

describe("a start is refused in one sentence when the database", () => {
  const name = "unfit";
  // Not the server of all tests: it may be of a version whose syntax for locales differs.
  let server: EmbeddedPostgres;
  let serverUrl: string;
  beforeAll(async () => {
    const dataDir = temporaryDirectory("unfit");
    copyMadeDatabase(dataDir);
    server = await startThrowAwayPostgres(dataDir);
    serverUrl = server.url;
  });
  afterAll(() => server.stop());
  afterEach(() => onServer(serverUrl, `drop database if exists ${name}`));

  test.each([
    [
      "is not in UTF-8",
      "encoding 'LATIN1' locale_provider libc locale 'C'",
      "has the encoding LATIN1; create one with",
    ],
    [
      "has a Turkish locale",
      "encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C'",
      "has a locale in which “i” is not the lower case of “I”",
    ],
  ])("%s", async (_fault, options, message) => {
    await onServer(serverUrl, `create database ${name} template template0 ${options}`);
    const refused = startHere({ DATABASE_URL: databaseUrl(serverUrl, name) });
    await expect(refused).rejects.toThrow(new RegExp(`^DATABASE_URL: The database ${name} ${message}.*$`));
  });

  test("is read-only", async () => {
    await onServer(serverUrl, `create database ${name}`);
    await onServer(serverUrl, `alter database ${name} set default_transaction_read_only = on`);
    const refused = startHere({ DATABASE_URL: databaseUrl(serverUrl, name) });
    await expect(refused).rejects.toThrow(new RegExp(`^DATABASE_URL: The database ${name} is read-only: .*$`));
  });
});

describe("a stop is quick", () => {
  let proxy: DroppingProxy;
  beforeEach(async () => {
    proxy = await DroppingProxy.start(database.ownerUrl);
  });
  afterEach(() => proxy.stop());

  async function expectQuick(stop: () => Promise<unknown>): Promise<void> {
    const askedAt = performance.now();
    await stop();
    expect(performance.now() - askedAt).toBeLessThan(10_000);
  }

  async function expectQuickEnd(service: ServiceProcess): Promise<void> {
    await expectQuick(async () => expect(await service.end("SIGTERM")).toBe(0));
  }

  const holdMigratorsLock = () => database.hold("select pg_advisory_xact_lock(4727445306447283)");

  /** Waits until the service waits for the migrator's lock: it connects again and again. */
  async function untilWaiting(): Promise<void> {
    await until(() => proxy.connections >= 10);
  }

  /** Begins a start in this process. */
  function begin() {
    const started = new AsyncDisposableStack();
    const aborting = new AbortController();
    const events = new EventEmitter();
    const log = pino({ level: "info" }, { write: (line) => void events.emit("line", line) });
    const settings = readSettings({ PORT: "0", DATABASE_URL: proxy.url });
    startService(settings, { log, started, signal: aborting.signal }).catch(() => {});
    return {
      async logged(words: string): Promise<void> {
        for await (const [line] of on(events, "line")) if (line.includes(words)) return;
      },
      stop: () => {
        aborting.abort();
        return started.disposeAsync();
      },
    };
  }

  test("while the database is frozen and requests wait for it", async () => {
    const service = start({
      DATABASE_URL: proxy.url,
      STATEMENT_TIMEOUT_MS: "60000",
      DATABASE_POOL_TIMEOUT_MS: "60000",
    });
    const url = await service.url();
    proxy.freeze();
    const body = JSON.stringify({ query: "{ postsCount }" });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    const answers = Array.from({ length: 30 }, () => fetch(url, init).catch(() => undefined));
    await expectQuickEnd(service);
    await Promise.all(answers);
  });

  test("while another process holds the migrator's lock", async () => {
    const lock = await holdMigratorsLock();
    const { stop } = begin();
    await untilWaiting();
    await expectQuick(stop);
    await lock.release();
  });

  test("while the database is frozen, and so is the migrator", async () => {
    const lock = await holdMigratorsLock();
    const service = start({ DATABASE_URL: proxy.url });
    await untilWaiting();
    proxy.freeze();
    await expectQuickEnd(service);
    await lock.release();
  });

  test("while a frozen database is waited for, and not given up", async () => {
    proxy.freeze();
    const { logged, stop } = begin();
    await logged("cannot be reached yet (timeout expired)");
    await expectQuick(stop);
  });

  test("while the first connection gets no answer", async () => {
    proxy.freeze();
    const { logged, stop } = begin();
    await logged("listening; not ready yet");
    await expectQuick(stop);
  });
});
