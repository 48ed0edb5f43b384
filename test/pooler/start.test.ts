import { pino } from "pino";
import { type AppSettings, startApp } from "../../src/app.ts";
import { untracked } from "../../tools/support/PgBouncer.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { describeWithPgBouncer, startPooler } from "../support/pooler.ts";
import { readEvents } from "../support/readEvents.ts";
import { testSecret, testSettings, untilListening, useService } from "../support/service.ts";

const log = pino({ level: "silent" });
const subscription = `subscription { postPublished(authorId: "1") { title } }`;

describeWithPgBouncer("where notifications cannot arrive, a start is refused with a sentence", () => {
  const database = useDatabase();
  let pooled: { ownerUrl: string; apiUrl: string };

  beforeAll(async () => {
    const pooler = await startPooler(database, untracked);
    pooled = { apiUrl: pooler.through(database.apiUrl), ownerUrl: pooler.through(database.ownerUrl) };
  });

  test.each<[string, () => Partial<AppSettings>, RegExp]>([
    ["without DATABASE_LISTEN_URL", () => ({}), /^Requests go through .* Set DATABASE_LISTEN_URL to PostgreSQL itself/],
    [
      "that has the pooler in it",
      () => ({ listenDatabaseUrl: pooled.apiUrl }),
      /^DATABASE_LISTEN_URL leads to a connection pooler/,
    ],
  ])("a service %s", async (_which, settings, sentence) => {
    const start = startApp({ ...testSettings, apiDatabaseUrl: pooled.apiUrl, ...settings() }, log);
    await expect(start).rejects.toThrow(sentence);
  });

  test("a service whose owner's DATABASE_URL leads there", async () => {
    const { ownerUrl, apiUrl } = pooled;
    const service = new ServiceProcess({ DATABASE_URL: ownerUrl, API_DATABASE_URL: apiUrl, JWT_SECRET: testSecret });
    expect(await service.end()).toBe(1);
    expect(service.output).toMatch(
      // A slow database is told of before, in lines of the log.
      /^The owner's connection to 127\.0\.0\.1 leads through .* let DATABASE_URL name PostgreSQL itself/m,
    );
  });
});

/** Publishes a post by plain SQL, and waits until the subscriber has it. */
function deliversEvents(service: ReturnType<typeof useService>): void {
  test("a subscriber hears of what is committed after the acknowledgement", async () => {
    const { events, close } = await readEvents(`${service.url}?${new URLSearchParams({ query: subscription })}`);
    await untilListening(1, service.app);
    await service.database.query(
      "insert into app_public.posts (author_id, title, content, status, published_at) values (1, 'News', 'Text.', 'PUBLISHED', now())",
    );
    let event = await events.next();
    while (event.startsWith(":")) event = await events.next();
    expect(event).toContain('"title":"News"');
    close();
  });
}

describeWithPgBouncer("PgBouncer in transaction mode, and DATABASE_LISTEN_URL without a login", () => {
  const service = useService({}, async (database) => {
    const { host } = new URL(database.apiUrl);
    const pooler = await startPooler(database);
    return { apiDatabaseUrl: pooler.through(database.apiUrl), listenDatabaseUrl: `postgres://${host}` };
  });
  deliversEvents(service);
});

describeWithPgBouncer("PgBouncer in session mode", () => {
  const service = useService({}, async (database) => {
    const pooler = await startPooler(database, { pool_mode: "session" });
    return { apiDatabaseUrl: pooler.through(database.apiUrl) };
  });
  deliversEvents(service);
});
