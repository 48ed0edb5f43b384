import { useDatabase } from "../../../test/support/database.ts";

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

test("drafts, and updates that no stream follows, cost no event", async () => {
  const events = "select count(*)::int as events from change_feed.stream_events";
  const before = await database.query(events);
  await database.query(`
    insert into app_public.posts (author_id, title, content) values (1, 'A draft', 'Text');
    update app_public.posts set title = 'Another title' where title = 'A draft';
    delete from app_public.posts where title = 'Another title'`);
  expect(await database.query(events)).toEqual(before);
  expect(
    await database.query(
      `select tgname from pg_trigger where tgname like '\\_900\\_stream\\_%' order by tgrelid::regclass::text, 1`,
    ),
  ).toEqual(
    [
      "_900_stream_post_id_insert",
      "_900_stream_chat_id_insert",
      "_900_stream_user_id_insert",
      "_900_stream_author_id_insert",
      "_900_stream_author_id_update",
    ].map((tgname) => ({ tgname })),
  );
});
