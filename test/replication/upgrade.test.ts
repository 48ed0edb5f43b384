import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { withClient } from "@content-service/support/withClient.ts";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate } from "../../src/database/migrations.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { stopWithThisProcess } from "../../tools/support/throwAwayPostgres.ts";
import { Listener } from "../../tools/torture/Listener.ts";
import { describeWithMachineServer, useMachineServer } from "../support/machineServer.ts";
import { runDb } from "../support/runDb.ts";
import { people, testSecret, testSettings, untilListening } from "../support/service.ts";
import { databaseUrl, onServer } from "../support/template.ts";
import { until } from "../support/until.ts";

/* The machine's PostgreSQL is replaced by the embedded one, which is newer, and comes back, while a client sends messages. */
describeWithMachineServer("from the machine's PostgreSQL to the embedded one", () => {
  const logical = { wal_level: "logical" };
  const machine = useMachineServer(logical);
  const database = "content";
  let embedded: EmbeddedPostgres;
  let destroy: (() => Promise<void>) | undefined;
  let token: string;
  let app: App;
  const acknowledged: string[] = [];
  let newest = 0;
  let isOver = false;

  const oldUrl = () => databaseUrl(machine.url, database);
  const newUrl = () => databaseUrl(embedded.url, database);

  beforeAll(async () => {
    const directory = join(mkdtempSync(join(tmpdir(), "content-service-upgrade-")), "postgres");
    embedded = await startEmbeddedPostgres(directory, {
      ...logical,
      fsync: "off",
      autovacuum: "off",
    });
    const { dataDir } = embedded;
    destroy = stopWithThisProcess({ dataDir: directory, directory: dataDir, data: join(dataDir, "cluster", "data") });
    await onServer(machine.url, `create database ${database}`);
    await onServer(embedded.url, `create database ${database}`);
    await ensureRoles(oldUrl());
    await migrate(oldUrl());
    await onServer(oldUrl(), await readFile(new URL("../support/people.sql", import.meta.url), "utf8"));
    token = (await createTokenSigner({ secret: testSecret })?.(people.ada))?.token ?? "";
    app = await serve(oldUrl());
  });
  afterAll(async () => {
    isOver = true;
    await app?.close();
    await destroy?.();
    await embedded?.stop();
  });

  async function serve(url: string): Promise<App> {
    return startApp({ ...testSettings, apiDatabaseUrl: await ensureRoles(url) }, pino({ level: "silent" }));
  }

  async function ask(query: string): Promise<any> {
    const response = await fetch(`${app.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data?: any }).data;
  }

  async function send(chatId: string): Promise<void> {
    const data = await ask(`mutation { sendMessage(chatId: "${chatId}", text: "Hello") { id } }`).catch(() => null);
    if (!data?.sendMessage) return;
    acknowledged.push(data.sendMessage.id);
    newest = performance.now();
  }

  const sent = (more: number, count = acknowledged.length) => until(() => acknowledged.length >= count + more);

  const upgrade = (from: string, to: string, ...options: string[]) =>
    runDb(from, ["upgrade", "--to", to, ...options], { PATH: `${machine.bin}:${process.env.PATH}` });

  /** Switches over, and starts the service on the other server. */
  async function switchOver(from: string, to: string): Promise<void> {
    const { output, status } = await upgrade(from, to, "--switch");
    expect({ output, status }).toEqual({
      output: expect.stringMatching(/tables are equal in counts and checksums/),
      status: 0,
    });
    const stopped = newest;
    const former = app;
    app = await serve(to);
    await former.close();
    await sent(1);
    const seconds = ((newest - stopped) / 1000).toFixed(1);
    process.stderr.write(
      `${/[\d.]+ s without writes/.exec(output)?.[0]} by the command; ${seconds} s until the next message, the service's start included\n`,
    );
  }

  const ids = (url: string, chatId: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query("select id from app_public.messages where chat_id = $1 order by number", [
        chatId,
      ]);
      return rows.map(({ id }) => id as string);
    });

  const problemsOf = (url: string) =>
    withClient(url, async (client) => (await client.query("select * from app_private.problems(true)")).rows);

  /** Changes a row of the follower alone. */
  const changeUnseen = (name: string) =>
    onServer(
      newUrl(),
      `begin read write; set local session_replication_role = replica;
       update app_public.users set name = '${name}' where id = ${people.ada}; commit`,
    );

  /** A row of the follower has the key of a new one. */
  async function refusesWhatTheFollowerCannotTake(): Promise<void> {
    const insert = "insert into app_public.follows (follower_id, followed_id) values (1, 2)";
    await onServer(newUrl(), `begin read write; set local session_replication_role = replica; ${insert}; commit`);
    await onServer(oldUrl(), insert);
    expect(await upgrade(oldUrl(), newUrl(), "--switch")).toMatchObject({
      output: expect.stringMatching(/cannot take a change/),
      status: 1,
    });
    await sent(1);
    await onServer(
      newUrl(),
      "begin read write; set local session_replication_role = replica; delete from app_public.follows; commit",
    );
  }

  /** The last step but one fails. */
  async function refusesAFollowerThatCannotBeFollowed(): Promise<void> {
    const name = await withClient(newUrl(), async (client) => {
      const { rows } = await client.query("select oid from pg_database where datname = current_database()");
      return `upgrade_${rows[0]?.oid}`;
    });
    await onServer(
      oldUrl(),
      `create subscription ${name} connection 'dbname=none' publication none with (connect = false, slot_name = none)`,
    );
    expect(await upgrade(oldUrl(), newUrl(), "--switch")).toMatchObject({
      output: expect.stringMatching(/already exists/),
      status: 1,
    });
    await sent(1);
  }

  test("refuses what it cannot do before it changes anything", async () => {
    expect(await upgrade(oldUrl(), oldUrl())).toMatchObject({
      output: expect.stringMatching(/same server/),
      status: 1,
    });
    expect(await upgrade(oldUrl(), newUrl(), "--switch")).toMatchObject({
      output: expect.stringMatching(/Run first/),
      status: 1,
    });
    await onServer(oldUrl(), "create table public.without_key (id int)");
    expect(await upgrade(oldUrl(), newUrl())).toMatchObject({
      output: expect.stringMatching(/public\.without_key/),
      status: 1,
    });
    await onServer(oldUrl(), "drop table public.without_key; create table public.kept (id int primary key)");
    expect(await upgrade(newUrl(), oldUrl())).toMatchObject({ output: expect.stringMatching(/not empty/), status: 1 });
    await onServer(oldUrl(), "drop table public.kept");
  });

  test("there and back under load: no acknowledged message is lost, and a subscription continues", async () => {
    const chatId = (await ask(`mutation { createChat(memberIds: ["${people.bob}"]) { id } }`)).createChat.id;
    const listener = new Listener(() => `${app.url.replace("http", "ws")}/graphql`, token, chatId);
    await untilListening(1, app);
    const writers = Array.from({ length: 2 }, async () => {
      // Each message takes processor time from the commands.
      for (; !isOver; await delay(50)) await send(chatId);
    });
    await sent(10);
    expect(await upgrade(oldUrl(), newUrl())).toMatchObject({ status: 0 });
    await sent(10);
    await changeUnseen("Another");
    expect(await upgrade(oldUrl(), newUrl(), "--switch")).toMatchObject({
      output: expect.stringMatching(
        /Nothing is switched over.*\n +app_public\.users: 4 rows, -?\d+, and 4 rows, -?\d+$/m,
      ),
      status: 1,
    });
    await changeUnseen("Ada");
    await sent(10);
    await refusesWhatTheFollowerCannotTake();
    await refusesAFollowerThatCannotBeFollowed();
    await sent(10);
    await switchOver(oldUrl(), newUrl());
    expect(await problemsOf(newUrl())).toEqual([]);
    await switchOver(newUrl(), oldUrl());
    expect(await problemsOf(oldUrl())).toEqual([]);
    isOver = true;
    await Promise.all(writers);
    const written = await ids(oldUrl(), chatId);
    expect(acknowledged.filter((id) => !written.includes(id))).toEqual([]);
    await until(() => listener.ids.length >= written.length);
    expect(listener.ids).toEqual(written);
    // The embedded server follows again, until the operator lets go.
    await until(async () => (await ids(newUrl(), chatId)).length === written.length);
    expect(await upgrade(oldUrl(), newUrl(), "--end")).toMatchObject({ status: 0 });
    await expect(onServer(newUrl(), "delete from app_public.users")).rejects.toMatchObject({ code: "25006" });
    await listener.stop();
  });
});
