import { withClient } from "@content-service/support/withClient.ts";
import type { FeedRequest } from "postgraphile-change-feed";
import type { TestDatabase } from "../../support/database.ts";
import { databaseUrl, templateName } from "../../support/template.ts";

/** The streams of messages, the same in all databases that the migrations make. */
const streamIds = await withClient(databaseUrl(process.env.TEST_SERVER_URL as string, templateName), async (client) => {
  const { rows } = await client.query(
    "select kind, id from change_feed.streams where relation = 'app_public.messages'::regclass",
  );
  return Object.fromEntries(rows.map(({ kind, id }) => [kind, id])) as { added: number; updated: number };
});

/** What a subscriber to the messages of a chat, or to their changes, wants. */
export function ofChat(chatId: string, kind: "added" | "updated" = "added"): Omit<FeedRequest, "viewerId"> {
  const stream = {
    id: streamIds[kind],
    name: `app_public.messages chat_id ${kind}`,
    kind,
    keyType: "bigint",
    idType: "bigint",
    asksPolicies: false,
    hasNumbers: kind === "added",
  } as const;
  return { feed: stream, key: chatId, unknownAfter: "There is no such message in this chat." };
}

/** A chat with these members. @returns its id */
export async function makeChat({ query }: TestDatabase, ...memberIds: string[]): Promise<string> {
  const [chat] = await query<{ id: string }>("insert into app_public.chats default values returning id");
  await query("insert into app_public.chat_members (chat_id, user_id) select $1, unnest($2::bigint[])", [
    chat?.id,
    memberIds,
  ]);
  return chat?.id as string;
}

/** Says something by plain SQL. @returns the message's id and number */
export async function say(
  { query }: TestDatabase,
  chatId: string,
  text = "Hello",
): Promise<{ id: string; number: number }> {
  const [message] = await query<{ id: string; number: string }>(
    "insert into app_public.messages (chat_id, sender_id, text) values ($1, 1, $2) returning id, number",
    [chatId, text],
  );
  return { id: message?.id as string, number: Number(message?.number) };
}

/** Says many things in one statement. */
export async function sayMany({ query }: TestDatabase, chatId: string, count: number): Promise<void> {
  await query(
    "insert into app_public.messages (chat_id, sender_id, text) select $1, 1, 'Message ' || n from generate_series(1, $2) n",
    [chatId, count],
  );
}

/** All numbers of a chat, as the table has them. */
export async function numbersOf({ query }: TestDatabase, chatId: string, after = 0): Promise<number[]> {
  const rows = await query<{ number: string }>(
    "select number from app_public.messages where chat_id = $1 and number > $2 order by number",
    [chatId, after],
  );
  return rows.map(({ number }) => Number(number));
}

/** Ends the backends that listen. @returns how many */
export async function killListeners({ query }: TestDatabase): Promise<number> {
  const rows = await query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'content-service listener'`,
  );
  return rows.length;
}
