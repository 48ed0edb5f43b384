import pg from "pg";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";
import { makeChat, say } from "./support/chats.ts";
import { hearAll, read, useStreams } from "./support/stream.ts";

/* PostgreSQL lets every login listen and notify. An analyst must neither learn from it nor cause work. */
const database = useDatabase();
const jane = useAnalyst(database);
const streams = useStreams(database);
const [ada, bob] = ["1", "2"];

/** Each name and each string that a login without rights can read in the catalogue. */
const readableNames = `
  select distinct left(name, 63) as name
    from (select relname::text from pg_catalog.pg_class
          union select proname::text from pg_catalog.pg_proc
          union select rolname::text from pg_catalog.pg_roles
          union select nspname::text from pg_catalog.pg_namespace
          union select unnest(array[word[1], word[2]])
            from pg_catalog.pg_proc, regexp_matches(prosrc, '''([^'']+)''|(\\w+)', 'g') as word
           where oid >= 16384) as names (name)
   where name <> ''`;

test("an analyst who listens to every name in the catalogue hears nothing of messages and rights", async () => {
  const chatId = await makeChat(database, ada, bob);
  const client = new pg.Client({ connectionString: jane.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(readableNames);
    const names = new Set(["content_service_messages", "end", ...rows.map(({ name }) => name)]);
    expect(names.size).toBeGreaterThan(1_000);
    await client.query([...names].map((name) => `listen ${pg.escapeIdentifier(name)}`).join(";"));
    const heard: string[] = [];
    const ended = new Promise<void>((resolve) => {
      client.on("notification", ({ channel }) => (channel === "end" ? resolve() : heard.push(channel)));
    });
    await say(database, chatId);
    await database.query("delete from app_public.chat_members where chat_id = $1 and user_id = $2", [chatId, bob]);
    await database.query("update app_private.accounts set banned_at = now() where user_id = $1", [bob]);
    // PostgreSQL delivers notifications in the order of commits.
    await database.query('notify "end"');
    await ended;
    expect(heard).toEqual([]);
  } finally {
    await client.end();
  }
});

test("notifications of an analyst cause no statement", async () => {
  const chatId = await makeChat(database, ada);
  const stream = await streams.start({ heartbeatMs: 600_000 });
  const reader = await read(stream, chatId, ada);
  const statementsOf = async (act: () => Promise<unknown>) => {
    const before = stream.status.statements;
    await act();
    await hearAll(stream, chatId, ada);
    return stream.status.statements - before;
  };
  await statementsOf(async () => {});
  const withoutFlood = await statementsOf(async () => {});
  const flood = `select count(pg_notify('content_service_messages', format('%s:%s', ${chatId}, number)))
    from generate_series(1, 1000) as number`;
  expect(await statementsOf(() => jane.ask(flood))).toBe(withoutFlood);
  await say(database, chatId);
  await reader.upTo(1);
});
