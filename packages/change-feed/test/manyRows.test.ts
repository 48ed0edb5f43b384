import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import { installChangeFeed } from "../index.ts";

/* From a hundred rows on, a statement's rows are read in another way. What is told of each row is the same. */
const database = await startDatabase(`
  create role feed_login login noinherit;
  create role visitor;
  create role member;
  grant visitor, member to feed_login;
  create table rooms (id int primary key, is_open boolean not null, unique (id, is_open));
  create table notes (
    id int primary key, room_id int references rooms, is_open boolean, text text, sent_at timestamptz, extra json,
    foreign key (room_id, is_open) references rooms (id, is_open) on update cascade);
  insert into rooms values (1, true), (2, true);
  grant select on rooms, notes to visitor, member;
`);
after(() => database[Symbol.asyncDispose]());
const roles = { login: "feed_login", anonymous: "visitor", member: "member" };
await installChangeFeed(await database.connect(), { roles, viewerSetting: "shop.user_id" });
await database.query("select change_feed.stream('notes', 'room_id', since_column => 'sent_at')");

// As a migration does for columns that follow another row.
await database.query(`create or replace function change_feed.ignored_columns(relation oid) returns text[]
  language sql stable return '{is_open}'::text[]`);

/** Statements in turn, each of which concerns all rows, with what is told of each row. */
const statements: [sql: string, told: string[]][] = [
  ["insert into notes select n, 1, true, 'text ' || n, null, '{}' from generate_series(1, $1::int) n", []],
  ["update notes set text = 'other' where id <= $1", []],
  ["update notes set sent_at = now() where id <= $1", ["added"]],
  ["update notes set text = 'third' where id <= $1", ["updated"]],
  // Nobody has written anything else: this is how a row is told again.
  ["update notes set text = text where id <= $1", ["updated"]],
  ["update rooms set is_open = false where $1 > 0", []],
  ["update rooms set is_open = true where $1 > 0", []],
  ["update notes set room_id = 2 where id <= $1", ["deleted", "added"]],
  ["update notes set room_id = null where id <= $1", ["deleted"]],
  ["update notes set room_id = 1 where id <= $1", ["added"]],
  ["update notes set id = -id where id <= $1", ["deleted", "added"]],
  ["update notes set id = -id where -id <= $1", ["deleted", "added"]],
  ["delete from notes where id <= $1", ["deleted"]],
  ["insert into notes select n, 1, true, 'x', now(), '{}' from generate_series(1, $1::int) n", ["added"]],
  ["delete from notes where id <= $1", ["deleted"]],
];

for (const count of [1, 99, 100, 101, 250]) {
  test(`${count} rows`, async () => {
    for (const [sql, told] of statements) {
      await database.query("delete from change_feed.stream_events");
      await database.query(sql, [count]);
      const events = await database.query(
        `select kind, count(*)::int, count(distinct row_id)::int as rows from change_feed.stream_events join change_feed.streams on id = stream_id
          group by kind order by kind`,
      );
      assert.deepEqual(
        events,
        told.map((kind) => ({ kind, count, rows: count })).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
        sql,
      );
    }
  });
}

for (const [column, of] of [
  ["room_id", "key"],
  ["id", "primary key"],
  ["sent_at", "time"],
]) {
  test(`a ${of} that is renamed is named, whether one row is written or many`, async () => {
    await database.query("insert into notes select n, 1, true, 'x', now(), '{}' from generate_series(1000, 1249) n");
    await database.query(`alter table notes rename ${column} to renamed`);
    for (const count of [1, 250]) {
      for (const sql of [
        `insert into notes select n, 1, true, 'x', now(), '{}' from generate_series(1, ${count}) n`,
        `update notes set text = 'y' where ctid = any (array(select ctid from notes limit ${count}))`,
      ]) {
        await assert.rejects(database.query(sql), {
          code: "55000",
          message: `The stream of public.notes has lost its column ${column}`,
        });
      }
    }
    await database.query(`alter table notes rename renamed to ${column}`);
    await database.query("delete from notes");
  });
}
