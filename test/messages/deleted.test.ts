import { useDatabase } from "../support/database.ts";

/* Messages are deleted in SQL only. Nobody is left with a badge that no message explains. */
const database = useDatabase();

async function unread(): Promise<number | undefined> {
  const [row] = await database.query<{ unread: number }>(
    "select (last_number - last_read_number)::int as unread from app_public.inbox_entries join app_public.chats on chats.id = chat_id where user_id = 2",
  );
  return row?.unread;
}
const asBob = (sql: string) =>
  database.query(
    `select set_config('app.viewer_id', '2', false); ${sql}; select set_config('app.viewer_id', '', false)`,
  );

beforeAll(async () => {
  await database.query(`
    delete from app_public.chats;
    select set_config('app.viewer_id', '1', false);
    select app_public.send_message(c.id, 'Message ' || n) from app_public.create_chat('{2}') as c, generate_series(1, 3) n;
    select set_config('app.viewer_id', '', false)`);
});

test("the newest message is deleted: the one before it can be marked as read, with it", async () => {
  expect(await unread()).toBe(3);
  await database.query("delete from app_public.messages where number = 3");
  expect(await unread()).toBe(3);
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
