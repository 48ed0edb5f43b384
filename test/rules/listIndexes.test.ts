import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withClient } from "@content-service/support/withClient.ts";
import { lintCatalogue } from "../../packages/migration-review/check/catalogue/lintCatalogue.ts";
import { useDatabase } from "../support/database.ts";

/* The rule names each filter and order without an index, and the statement that it prints is the one that satisfies it. */
const database = useDatabase();
const root = fileURLToPath(new URL("../../", import.meta.url));
const rule = readFileSync(new URL("../../migrations/rules/lists_have_their_indexes.sql", import.meta.url), "utf8");

interface Offence {
  offender: string;
  advice: string;
}
const offences = () => database.query<Offence>(rule);

beforeAll(() =>
  database.query(`
    create table app_public.bands (id bigint primary key);
    create table app_public.songs (
      id bigint primary key,
      band_id bigint not null references app_public.bands,
      producer_id bigint not null references app_public.bands,
      mood text not null,
      plays int not null,
      recorded_at timestamptz not null
    );
    comment on constraint songs_producer_id_fkey on app_public.songs is '@backwardBehavior -*';
    comment on table app_public.songs is E'@listOrder recorded_at desc, id\\n@listOrder POPULAR: plays desc, id desc\\nSongs.';
    create table app_public.likes (
      band_id bigint references app_public.bands,
      song_id bigint references app_public.songs,
      liked_at timestamptz not null,
      primary key (band_id, song_id)
    );
    comment on table app_public.likes is '@manyToMany';
    comment on constraint likes_band_id_fkey on app_public.likes is E'@fieldName fans\\n@listOrder liked_at desc, song_id desc';
    comment on column app_public.songs.mood is E'@listFilter eq in\\nThe mood.';
    comment on column app_public.songs.plays is '@listFilter gte lte';
    comment on column app_public.songs.recorded_at is 'No filter.'`),
);

const on = "on app_public.songs";
const wanted: [offender: string, index: string][] = [
  ["app_public.songs: @listOrder recorded_at desc, id", `songs_recorded_at_id_idx ${on} (recorded_at desc, id)`],
  ["app_public.songs: @listOrder POPULAR: plays desc, id desc", `songs_plays_id_idx ${on} (plays desc, id desc)`],
  [
    "app_public.songs: @listOrder recorded_at desc, id (for the list of each band_id)",
    `songs_band_id_recorded_at_id_idx ${on} (band_id, recorded_at desc, id)`,
  ],
  [
    "app_public.songs: @listOrder POPULAR: plays desc, id desc (for the list of each band_id)",
    `songs_band_id_plays_id_idx ${on} (band_id, plays desc, id desc)`,
  ],
  ["app_public.songs.mood: @listFilter eq in", `songs_mood_recorded_at_id_idx ${on} (mood, recorded_at desc, id)`],
  ["app_public.songs.plays: @listFilter gte lte", `songs_plays_idx ${on} (plays)`],
  [
    "app_public.likes: @listOrder liked_at desc, song_id desc (for the lists through band_id)",
    "likes_band_id_liked_at_song_id_idx on app_public.likes (band_id, liked_at desc, song_id desc)",
  ],
];

test("an index is demanded for each filter and for each order, at the root and below the rows of a foreign key", async () => {
  const advised = wanted.map(([offender, index]) => ({
    offender,
    advice: `Create the index: create index if not exists ${index};`,
  }));
  const found = await offences();
  expect(found).toHaveLength(advised.length);
  expect(found).toEqual(expect.arrayContaining(advised));
});

test("the review prints the statement that creates the index", async () => {
  const findings = await withClient(database.ownerUrl, (client) => lintCatalogue(client, root));
  expect(findings).toContainEqual(
    expect.objectContaining({
      severity: "refused",
      rule: "lists_have_their_indexes",
      advice: `Create the index: create index if not exists songs_plays_idx ${on} (plays);`,
    }),
  );
});

test.each([
  ["another direction", "(recorded_at, id)"],
  ["other columns", "(recorded_at desc)"],
  ["another order of nulls", "(recorded_at desc nulls last, id)"],
  ["some rows only", "(recorded_at desc, id) where plays > 1"],
])("an index with %s does not serve the order", async (_, columns) => {
  await database.query(`create index odd on app_public.songs ${columns}`);
  expect((await offences()).map(({ offender }) => offender)).toContain(wanted[0]?.[0]);
  await database.query("drop index app_public.odd");
});

test("an index that is read backwards serves the order", async () => {
  await database.query("create index backwards on app_public.songs (recorded_at, id desc)");
  expect((await offences()).map(({ offender }) => offender)).not.toContain(wanted[0]?.[0]);
  await database.query("drop index app_public.backwards");
});

test("a filter may follow other filters in an index", async () => {
  await database.query("create index pair on app_public.songs (mood, plays)");
  const found = (await offences()).map(({ offender }) => offender);
  expect(found).not.toContain(wanted[4]?.[0]);
  expect(found).not.toContain(wanted[5]?.[0]);
  await database.query("drop index app_public.pair");
});

test("the statements that the rule prints satisfy it", async () => {
  for (const { advice } of await offences()) await database.query(advice.replace("Create the index: ", ""));
  expect(await offences()).toEqual([]);
});
