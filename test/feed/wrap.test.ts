import { useDatabase } from "../support/database.ts";

/* Transaction ids of rows have 32 bits and are given again; horizons have 64. */
const database = useDatabase();

test.each([
  ["a row of the horizon", "0", false],
  ["a newer row", "1", false],
  ["a row that is a little older", "-1", true],
  ["a row that is two billion transactions older", "-2147483649", true],
  ["a row that is three billion transactions older", "-3000000000", true],
])("%s", async (_, offset, isBefore) => {
  // The current transaction is two above the horizon.
  const [row] = await database.query(
    `select change_feed.is_before((((horizon::text::bigint + $1::bigint) & 4294967295)::text)::xid, horizon) as is_before
       from (select (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 2)::text::xid8 as horizon) as h`,
    [offset],
  );
  expect(row).toEqual({ is_before: isBefore });
});

test("a stream without triggers can have rows with a key of two columns, and asks the policies for each of them", async () => {
  const [chat, other] = (
    await database.query<{ id: string }>("insert into app_public.chats (title) values ('One'), ('Other') returning id")
  ).map(({ id }) => id);
  await database.query("insert into app_public.chat_members (chat_id, user_id) values ($1, 1), ($1, 2), ($2, 2)", [
    chat,
    other,
  ]);
  const declare =
    "select change_feed.stream('app_public.inbox_entries', 'chat_id', kinds => $1, has_triggers => false)";
  await database.query(declare, ["{updated}"]);
  await database.query(
    "select change_feed.record_events('app_public.inbox_entries', 'chat_id', '{updated,updated}', $1, '{1,2}')",
    [[chat, chat]],
  );
  const [page] = await database.query<{ stream_id: number }>(
    `select read.stream_id, row_ids, numbers from change_feed.streams,
            change_feed.read_streams(array[id], array[$1], '{0}', 10) as read
      where relation = 'app_public.inbox_entries'::regclass and key_column = 'chat_id'`,
    [chat],
  );
  expect(page).toMatchObject({ row_ids: ["1", "2"], numbers: ["1", "2"] });
  const id = page?.stream_id;
  // Ada reads her own entry of the one chat. She has none in the other, and does not see it.
  expect(
    await database.query(
      "select place, row_id from change_feed.refused_viewers($1, $2, '{1,1}', $3, $4, '{1,2,1}') order by 1, 2",
      [
        [id, id],
        [chat, other],
        [id, id, id],
        [chat, chat, other],
      ],
    ),
  ).toEqual([
    { place: 1, row_id: "2" },
    { place: 2, row_id: "1" },
    { place: 2, row_id: null },
  ]);
  await database.query(declare, ["{}"]);
});

test("a draft costs an event only where it is updated", async () => {
  const events = "select count(*)::int as events from change_feed.stream_events";
  const [before] = await database.query<{ events: number }>(events);
  await database.query(`
    insert into app_public.posts (author_id, title, content) values (1, 'A draft', 'Text');
    update app_public.posts set title = 'Another title' where title = 'A draft';
    delete from app_public.posts where title = 'Another title'`);
  expect(await database.query(events)).toEqual([{ events: Number(before?.events) + 1 }]);
  expect(
    await database.query(
      `select tgname from pg_trigger where tgname like '\\_900\\_stream\\_%' and tgname !~ 'truncate$'
        order by tgrelid::regclass::text, 1`,
    ),
  ).toEqual(
    [
      "_900_stream_post_id_delete",
      "_900_stream_post_id_insert",
      "_900_stream_post_id_update",
      "_900_stream_chat_id_insert",
      "_900_stream_chat_id_update",
      "_900_stream_user_id_insert",
      "_900_stream_author_id_insert",
      "_900_stream_author_id_update",
      "_900_stream_id_update",
      "_900_stream_queue_delete",
      "_900_stream_queue_insert",
      "_900_stream_queue_update",
      "_900_stream_queue_delete",
      "_900_stream_queue_update",
      "_900_stream_id_update",
    ].map((tgname) => ({ tgname })),
  );
});
