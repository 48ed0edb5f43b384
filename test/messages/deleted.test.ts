import { useDatabase } from "../support/database.ts";

/* Messages are deleted in SQL only. Nobody is left with a badge that no message explains. */
const database = useDatabase();

async function unread(): Promise<number | undefined> {
  return (await asBob("select app_public.chats_unread_count(chats) as unread from app_public.chats"))[0]?.unread;
}
/** The rows of the statement. */
async function asBob(sql: string): Promise<any[]> {
  const client = await database.owner.connect();
  try {
    await client.query("select set_config('app.viewer_id', '2', false)");
    return (await client.query(sql)).rows;
  } finally {
    await client.query("select set_config('app.viewer_id', '', false)");
    client.release();
  }
}

beforeAll(async () => {
  await database.query(`
    delete from app_public.chats;
    select set_config('app.viewer_id', '1', false);
    select app_public.send_message(c.id, 'Message ' || n) from app_public.create_chat('{2}') as c, generate_series(1, 3) n;
    select set_config('app.viewer_id', '', false)`);
});

test("the newest message is deleted: it is not unread any more, and the next one has a number of its own", async () => {
  expect(await unread()).toBe(3);
  await database.query("delete from app_public.messages where number = 3");
  expect(await unread()).toBe(2);
  await asBob("select app_public.mark_chat_read(chat_id, id) from app_public.messages where number = 2");
  expect(await unread()).toBe(0);
});

test("all unread messages are deleted: nothing is unread", async () => {
  await database.query(
    "select set_config('app.viewer_id', '1', false); select app_public.send_message(id, 'One more') from app_public.chats; select set_config('app.viewer_id', '', false)",
  );
  expect(await unread()).toBe(1);
  await database.query("delete from app_public.messages where text = 'One more'");
  expect(await unread()).toBe(0);
});

test("what the sender has read stays read when the message is deleted", async () => {
  const chat = "select max(id) from app_public.chats";
  await database.query(
    `insert into app_public.messages (chat_id, sender_id, text) select (${chat}), sender, 'Text' from unnest('{1,1,2}'::int[]) as sender`,
  );
  expect(await unread()).toBe(0);
  await database.query("delete from app_public.messages where sender_id = 2");
  expect(await unread()).toBe(0);
  const numbers = await database.query(
    "insert into app_public.messages (chat_id, sender_id, text) select id, 1, 'Text' from app_public.chats returning number::int",
  );
  expect([numbers, await unread()]).toEqual([[{ number: 8 }], 1]);
});
