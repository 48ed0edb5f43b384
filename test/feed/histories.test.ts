import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { changeConnection, checkConnectionString } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import { createClient } from "graphql-ws";
import { pino } from "pino";
import { WebSocket } from "ws";
import { type App, startApp } from "../../src/app.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate } from "../../src/database/migrations.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../tools/support/ReplicatedServers.ts";
import { serverPrograms } from "../support/machine.ts";
import { useMachineServer } from "../support/machineServer.ts";
import { readEvents } from "../support/readEvents.ts";
import { people, reuseSchemas, testSecret, testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Each way in which the history of a database can branch × each form of a position × WebSocket, SSE and webhooks. A subscriber whose last event is
 * in the history receives what came after it; any other is told. What is right comes from the tables: an event is known by its time.
 */

interface Row {
  number: number;
  id: string;
  time: string;
}

interface Event {
  id: string;
  after: string;
}

/** A field of Subscription, and the rows that a follower of it receives. */
interface Stream {
  field: string;
  kind: string | undefined;
}

const streams: readonly Stream[] = [
  { field: "messageAdded(chatId: $chat, after: $after)", kind: undefined },
  { field: "commentAdded(postId: $post, after: $after)", kind: "added" },
  { field: "commentUpdated(postId: $post, after: $after)", kind: "updated" },
  { field: "commentDeleted(postId: $post, after: $after)", kind: "deleted" },
];

type Query = <Result>(sql: string, values?: unknown[]) => Promise<Result[]>;

/** A service on a database whose history is going to branch. */
class Publication implements AsyncDisposable {
  readonly receiver = new WebhookReceiver();
  readonly problems: string[] = [];
  chat = "";
  post = "";
  query: Query;
  #app: App | undefined;
  #token = "";

  constructor(query: Query) {
    this.query = query;
  }

  async start(ownerUrl: string): Promise<void> {
    const url = checkConnectionString(ownerUrl);
    const apiDatabaseUrl = await ensureRoles(url);
    await migrate(url);
    await this.query(await readFile(new URL("../support/people.sql", import.meta.url), "utf8"));
    await this.receiver.start();
    const webhook =
      "select change_feed.webhook('test', 'app_public.comments', $1, $2, 'api_anonymous', 'post_id') as secret";
    const [row] = await this.query<{ secret: string }>(webhook, ["{added,updated,deleted}", this.receiver.url]);
    this.receiver.secret = row?.secret as string;
    const log = pino({ level: "warn" }, { write: (line) => this.problems.push(JSON.parse(line).msg) });
    const webhooks = { webhooks: true, webhookAddresses: ["127.0.0.1"] };
    this.#app = await startApp({ ...testSettings, ...webhooks, apiDatabaseUrl, reuseSchema: reuseSchemas() }, log);
    this.#token = (await createTokenSigner({ secret: testSecret })?.(people.ada))?.token ?? "";
  }

  /** A chat and a post that nothing has happened in. */
  async begin(): Promise<void> {
    const [chat] = await this.query<{ id: string }>("insert into app_public.chats default values returning id");
    await this.query("insert into app_public.chat_members (chat_id, user_id) values ($1, 1)", [chat?.id]);
    const [post] = await this.query<{ id: string }>(
      "insert into app_public.posts (author_id, title, content, status) values (1, 'Post', 'Text.', 'PUBLISHED') returning id",
    );
    [this.chat, this.post] = [chat?.id as string, post?.id as string];
  }

  /** In each stream, so many events. */
  async write(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) {
      await this.query("insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, 'Hello')", [
        this.chat,
      ]);
      await this.query("insert into app_public.comments (post_id, author_id, text) values ($1, 1, 'New')", [this.post]);
      await this.query(`update app_public.comments set text = 'Edited' where post_id = $1 and text = 'New'`, [
        this.post,
      ]);
      // In one transaction: no follower of added comments sees it.
      await this.query(`insert into app_public.comments (post_id, author_id, text) values (${this.post}, 1, 'Gone');
        delete from app_public.comments where post_id = ${this.post} and text = 'Gone'`);
    }
  }

  /** What the database has of a stream. */
  async rowsOf({ kind }: Stream): Promise<Row[]> {
    const rows = await (kind === undefined
      ? this.query<Row>(
          "select number, id, created_at::text as time from app_public.messages where chat_id = $1 order by number",
          [this.chat],
        )
      : this.query<Row>(
          `select number, row_id as id, e.created_at::text as time
             from change_feed.stream_events e
             join change_feed.streams s on s.id = stream_id and relation = 'app_public.comments'::regclass and kind = $2
            where key = $1 and (kind = 'deleted' or exists (select from app_public.comments c where c.id::text = row_id))
            order by number`,
          [this.post, kind],
        ));
    return rows.map((row) => ({ ...row, number: Number(row.number) }));
  }

  follow(transport: "ws" | "sse", { field }: Stream, after?: string): Follower {
    const [argument] = /\$(chat|post)/.exec(field) ?? [];
    const query = `subscription Follow(${argument}: ID!, $after: ID) { ${field} { id } }`;
    const variables = { chat: this.chat, post: this.post, after };
    const url = `${this.#app?.url}/graphql`;
    return new Follower(
      transport === "ws" ? viaSocket(url, this.#token, query, variables) : viaSse(url, this.#token, query, variables),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app?.close();
    await this.receiver[Symbol.asyncDispose]();
  }
}

type Results = AsyncIterable<{ data?: unknown; errors?: readonly unknown[]; extensions?: unknown }>;

async function* viaSocket(url: string, authToken: string, query: string, variables: Record<string, unknown>): Results {
  const client = createClient({
    url: url.replace("http", "ws"),
    webSocketImpl: WebSocket,
    connectionParams: { authToken },
  });
  try {
    yield* client.iterate({ query, variables }) as Results;
  } catch (errors) {
    yield { errors: Array.isArray(errors) ? errors : [{ extensions: { code: String(errors) } }] };
  } finally {
    void client.dispose();
  }
}

async function* viaSse(url: string, token: string, query: string, variables: Record<string, unknown>): Results {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const body = JSON.stringify({ query, variables });
  const { events, close } = await readEvents(url, { method: "POST", headers, body });
  try {
    for (;;) {
      const event = await events.next();
      if (event.startsWith("complete")) return;
      if (event.startsWith("next ")) yield JSON.parse(event.slice("next ".length));
    }
  } finally {
    close();
  }
}

/** What a subscriber receives: events, or the code of the error that ends them. */
class Follower {
  readonly events: Event[] = [];
  code: string | undefined;
  readonly #results: AsyncIterator<{ data?: unknown; errors?: readonly unknown[]; extensions?: unknown }>;

  constructor(results: Results) {
    this.#results = results[Symbol.asyncIterator]();
    void this.#read();
  }

  get ids(): string[] {
    return this.events.map(({ id }) => id);
  }

  /** Waits for so many events, or the end. */
  async until(count: number): Promise<this> {
    await until(() => this.events.length >= count || this.code !== undefined);
    return this;
  }

  stop(): void {
    void this.#results.return?.();
  }

  async #read(): Promise<void> {
    for (let result = await this.#results.next(); !result.done; result = await this.#results.next()) {
      const { data, errors, extensions } = result.value as any;
      if (errors) this.code = errors[0].extensions.code;
      else this.events.push({ id: (Object.values(data)[0] as Event).id, after: extensions.after });
    }
  }
}

const transports = ["ws", "sse"] as const;
const idsAfter = (rows: readonly Row[], number: number) =>
  rows.filter((row) => row.number > number).map(({ id }) => id);
const same = (one: Row | undefined) => (other: Row) => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param branch is called when a subscriber has two events, and returns what to do when it has five: from then on the history is another one, in
 *   which some of the five may be missing
 */
async function tryBranch(publication: Publication, branch: () => Promise<() => Promise<void>>): Promise<void> {
  await publication.begin();
  const followers = transports.flatMap((transport) =>
    streams.map((stream) => ({ stream, follower: publication.follow(transport, stream, "0") })),
  );
  const received = (count: number) => Promise.all(followers.map(({ follower }) => follower.until(count)));
  await publication.write(2);
  await received(2);
  const change = await branch();
  await publication.write(3);
  await received(5);
  const former = new Map(
    await Promise.all(streams.map(async (stream) => [stream, await publication.rowsOf(stream)] as const)),
  );
  for (const { stream, follower } of followers) expect(follower.ids).toEqual(former.get(stream)?.map(({ id }) => id));

  await change();
  await publication.write(8);
  const told: string[] = [];
  for (const { stream, follower } of followers) {
    const [rows, known] = [await publication.rowsOf(stream), former.get(stream) as Row[]];
    const last = known.at(-1);
    // All rows, or the news that some are gone.
    const isThere = rows.some(same(last));
    if (isThere)
      expect((await follower.until(13)).ids).toEqual([
        ...known.map(({ id }) => id),
        ...idsAfter(rows, last?.number ?? 0),
      ]);
    else expect((await follower.until(14)).code).toBe("POSITION_LOST");
    if (!isThere) told.push(stream.field);
    follower.stop();
  }
  for (const transport of transports) {
    for (const stream of streams) {
      const [rows, known] = [await publication.rowsOf(stream), former.get(stream) as Row[]];
      const {
        follower: { events },
      } = followers.find((one) => one.stream === stream) as (typeof followers)[number];
      await tryPositions(publication, transport, stream, { rows, known, events });
    }
  }
  await tryWebhook(publication);
  if (told.length === 0) return;
  expect(publication.problems.join()).toContain("no longer in the history");
  await until(async () => (await publication.query("select from change_feed.history_problems()")).length > 0);
}

async function tryPositions(
  publication: Publication,
  transport: "ws" | "sse",
  stream: Stream,
  { rows, known, events }: { rows: Row[]; known: Row[]; events: Event[] },
): Promise<void> {
  const expectAfter = async (position: string, expected: string[] | undefined) => {
    const follower = publication.follow(transport, stream, position);
    await follower.until(expected?.length ?? 1);
    const [ids, code] = [follower.ids, follower.code];
    follower.stop();
    expect({ field: stream.field, position, ids, code }).toEqual({
      field: stream.field,
      position,
      ids: expected ?? [],
      code: expected ? undefined : "POSITION_LOST",
    });
  };
  for (const [place, event] of events.slice(0, 5).entries()) {
    const isThere = rows.some(same(known[place]));
    await expectAfter(event.after, isThere ? idsAfter(rows, known[place]?.number ?? 0) : undefined);
  }
  await expectAfter("0", rows[0]?.number === 1 || stream.kind === "added" ? idsAfter(rows, 0) : undefined);
  const last = known.at(-1) as Row;
  // What the release before has sent: a number alone, of events that have a mark by now.
  if (stream.kind !== undefined)
    await expectAfter(stream.kind === "updated" ? `${last.number}` : `0${last.number}`, undefined);
  // An id is that of the row which has it now.
  if (stream.kind === "updated") return;
  const present = rows.filter(({ id }) => id === last.id);
  await expectAfter(last.id, present.length === 1 ? idsAfter(rows, present[0]?.number as number) : undefined);
}

/** Each event arrives, and no id is that of two. */
async function tryWebhook({ post, query, receiver }: Publication): Promise<void> {
  const wanted = await query<{ kind: string; id: string; time: string }>(
    `select 'app_public.comments.' || kind as type, row_id as id, e.created_at::text as time
       from change_feed.stream_events e join change_feed.streams s on s.id = stream_id and relation = 'app_public.comments'::regclass
      where key = $1 and (kind = 'deleted' or exists (select from app_public.comments c where c.id::text = row_id))`,
    [post],
  );
  await until(
    async () => (await query("select from change_feed.webhook_events where due_at is not null")).length === 0,
  );
  const messages = receiver.messages.filter(({ data }) => data.key === post);
  const names = messages.map(({ type, data }) => `${type} ${data.id}`);
  expect(names).toEqual(expect.arrayContaining(wanted.map(({ type, id }: any) => `${type} ${id}`)));
  const contents = Map.groupBy(messages, ({ id }) => id);
  for (const sent of contents.values())
    expect(new Set(sent.map((one) => `${one.type} ${one.data.id} ${(one as any).timestamp}`)).size).toBe(1);
}

describe("on servers of its own", () => {
  let servers: ReplicatedServers;
  let primary: ReplicatedServer;
  let standby: ReplicatedServer;
  let publication: Publication;

  beforeAll(async () => {
    servers = await ReplicatedServers.start({ standbys: 1 });
    [primary, standby] = servers.servers as [ReplicatedServer, ReplicatedServer];
    publication = new Publication((sql, values) => primary.query(sql, values) as never);
    await publication.start(servers.url);
    await standby.stop("immediate");
  });
  afterAll(async () => {
    await publication?.[Symbol.asyncDispose]();
    await servers?.[Symbol.asyncDispose]();
  });

  test("the feed is emptied", () =>
    tryBranch(publication, async () => async () => {
      await primary.query("truncate change_feed.stream_heads, change_feed.stream_events");
    }));

  test("rows, numbers and ids are set back", () =>
    tryBranch(publication, async () => {
      const { chat, post } = publication;
      const [state] = await primary.query<{ comments: string; messages: string }>(
        "select (select max(id) from app_public.comments) as comments, (select max(id) from app_public.messages) as messages",
      );
      return async () => {
        await primary.query(`begin; set local app.is_import = on;
          delete from app_public.messages where chat_id = ${chat} and number > 2;
          update app_public.chats set last_number = 2 where id = ${chat};
          delete from app_public.comments where post_id = ${post} and id > ${state?.comments};
          delete from change_feed.stream_events where key = '${post}' and (stream_id, number) not in
            (select stream_id, number from change_feed.stream_events join change_feed.streams on id = stream_id
              where key = '${post}' and number <= case kind when 'added' then 4 else 2 end);
          update change_feed.stream_heads h set last_number = (select max(number) from change_feed.stream_events e where (e.stream_id, e.key) = (h.stream_id, h.key))
           where key = '${post}' and exists (select from change_feed.stream_events e where (e.stream_id, e.key) = (h.stream_id, h.key));
          select setval(pg_get_serial_sequence('app_public.messages', 'id'), ${state?.messages}),
                 setval(pg_get_serial_sequence('app_public.comments', 'id'), ${state?.comments} + 1);
          commit`);
      };
    }));

  test.each(["cold", "base"] as const)("a %s backup is restored", (kind) =>
    tryBranch(publication, () => primary.backUp(kind)),
  );

  test("two databases are swapped", () =>
    tryBranch(publication, async () => {
      const admin = <Result>(use: (query: Query) => Promise<Result>) =>
        withClient(changeConnection(primary.url, { database: "template1" }), (client) =>
          use(async (sql, values) => (await client.query(sql, values)).rows),
        );
      const alone = async (query: Query, act: () => Promise<unknown>) => {
        await query("alter database postgres allow_connections false");
        await query("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postgres'");
        await until(async () => (await query("select from pg_stat_activity where datname = 'postgres'")).length === 0);
        await act();
      };
      await admin((query) =>
        alone(query, async () => {
          await query("create database other template postgres");
          await query("alter database postgres allow_connections true");
        }),
      );
      return () =>
        admin((query) =>
          alone(query, async () => {
            await query("alter database postgres rename to former");
            await query("alter database other rename to postgres");
            await query("alter database postgres allow_connections true");
          }),
        );
    }));

  test("a standby that lacks commits takes over", () =>
    tryBranch(publication, async () => {
      await standby.follow(primary);
      const [written] = await primary.query<{ lsn: string }>("select pg_current_wal_lsn() as lsn");
      await until(
        async () => (await standby.query("select where pg_last_wal_replay_lsn() >= $1", [written?.lsn])).length > 0,
      );
      await standby.query("alter system set primary_conninfo = ''");
      await standby.query("select pg_reload_conf()");
      await until(async () => (await primary.query("select from pg_stat_replication")).length === 0);
      return async () => {
        await primary.stop("immediate");
        await standby.promote();
        [primary, standby] = [standby, primary];
      };
    }));
});

(serverPrograms ? describe : describe.skip)("on the machine's PostgreSQL", () => {
  const machine = useMachineServer();
  let publication: Publication;
  const query: Query = (sql, values) =>
    withClient(machine.url, async (client) => (await client.query(sql, values)).rows);

  beforeAll(async () => {
    publication = new Publication(query);
    await publication.start(machine.url);
  });
  afterAll(() => publication?.[Symbol.asyncDispose]());

  test("a dump is restored", () =>
    tryBranch(publication, async () => {
      const directory = temporaryDirectory("dump");
      const file = join(directory, "dump");
      const run = (program: string, ...args: string[]) => promisify(execFile)(join(machine.bin, program), args);
      await run("pg_dump", "--format=custom", `--file=${file}`, machine.url);
      return async () => {
        const other = changeConnection(machine.url, { database: "template1" });
        await withClient(other, async (client) => {
          await client.query("drop database postgres with (force)");
          await client.query("create database postgres template template0");
        });
        await run("pg_restore", `--dbname=${machine.url}`, file);
        await rm(directory, { recursive: true });
      };
    }));
});
