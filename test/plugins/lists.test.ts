import { mock } from "node:test";
import { useService } from "../support/service.ts";

/* Filters, orders, page sizes and connections through join tables, all declared by smart tags. */
const service = useService();

const schema = `
  create type app_public.mood as enum ('CALM', 'LOUD', 'WILD');
  create table app_public.bands (id bigint primary key, name text not null);
  create table app_public.songs (
    id bigint primary key,
    band_id bigint not null references app_public.bands,
    title text not null,
    mood app_public.mood not null,
    plays int not null,
    recorded_at timestamptz not null,
    remixed_at timestamptz
  );
  create index on app_public.songs (band_id);
  create table app_public.lists (id bigint primary key, name text not null);
  create table app_public.list_songs (
    list_id bigint references app_public.lists,
    song_id bigint references app_public.songs,
    primary key (list_id, song_id)
  );
  create index on app_public.list_songs (song_id);
  comment on table app_public.list_songs is '@manyToMany';
  comment on table app_public.songs is
    E'@listOrder recorded_at, id\\n@listOrder POPULAR: plays desc, id desc\\n@listOrder RARE: plays, id\\n@listOrder NEWEST: recorded_at desc, id desc\\n@listLimit 3';
  comment on column app_public.songs.mood is '@listFilter eq in';
  comment on column app_public.songs.plays is '@listFilter gt lt';
  comment on column app_public.songs.recorded_at is '@listFilter gte lte';
  comment on column app_public.songs.title is '@listFilter';
  comment on column app_public.songs.remixed_at is '@listFilter gte isNull isNull:original';
  create function app_public.hits() returns setof app_public.songs language sql stable
    as 'select * from app_public.songs where plays > 2';
  comment on function app_public.hits() is E'@listOrder plays desc, id desc\\n@listLimit 2';
  alter table app_public.songs enable row level security;
  create policy select_played on app_public.songs for select to api_anonymous using (plays > 0);
  create table app_public.managers (id bigint primary key, band_id bigint not null unique references app_public.bands);
  comment on constraint managers_band_id_fkey on app_public.managers is '@notNull';
  create table app_public.likes (
    band_id bigint references app_public.bands,
    song_id bigint references app_public.songs,
    liked_at timestamptz not null,
    primary key (band_id, song_id)
  );
  create index on app_public.likes (song_id);
  create function app_hidden.count_likes(band_id bigint) returns int language sql stable as 'select 70';
  grant execute on function app_hidden.count_likes to api_anonymous;
  comment on table app_public.likes is '@manyToMany';
  comment on constraint likes_band_id_fkey on app_public.likes is
    E'@fieldName fans\\n@listOrder liked_at desc, song_id desc\\n@totalCount app_hidden.count_likes\\n@describe list What the band likes.';
  comment on constraint likes_song_id_fkey on app_public.likes is E'@fieldName likedSongs\\n@backwardBehavior -list';
  grant select on all tables in schema app_public to api_anonymous;
  grant execute on all functions in schema app_public to api_anonymous;
  insert into app_public.bands values (1, 'Tide'), (2, 'Ebb');
  insert into app_public.managers values (1, 1);
  insert into app_public.lists values (1, 'Evening'), (2, 'Empty');
  -- Song 7 has no plays, so nobody may see it.
  insert into app_public.songs
    select n, case when n % 2 = 0 then 2 else 1 end, 'Song ' || n, (enum_range(null::app_public.mood))[n % 3 + 1],
      (7 - n) * (7 - n) % 5 + case when n = 7 then 0 else 1 end, timestamptz '2026-11-01 12:00Z' + n * interval '1 day',
      case when n % 3 = 0 then timestamptz '2026-12-01' + n * interval '1 day' end
    from generate_series(1, 7) n;
  insert into app_public.list_songs select 1, n from generate_series(1, 7) n;
  insert into app_public.likes select 1, n, timestamptz '2026-11-20 12:00Z' + n * n % 5 * interval '1 day' from generate_series(1, 7) n;
`;

beforeAll(async () => {
  // The engine prints each cursor that it refuses.
  mock.method(console, "error", () => {});
  await service.database.query(schema);
  await service.app.rebuild();
  expect(service.logged.filter(({ level }) => level === 50)).toEqual([]);
});
afterAll(() => mock.restoreAll());

// id:    1     2     3     4     5     6
// mood:  LOUD  WILD  CALM  LOUD  WILD  CALM
// plays: 2     1     2     5     5     2

describe.each([
  ["songs", ""],
  ["list", "list(id: 1)"],
])("the connection of %s", (_, parent) => {
  async function page(args: string): Promise<Record<string, unknown> & { ids: string[] }> {
    const fields = "totalCount nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }";
    const connection = `songsConnection${args && `(${args})`} { ${fields} }`;
    const { data, errors } = await service.ask(`{ ${parent ? `${parent} { ${connection} }` : connection} }`);
    expect(errors).toBeUndefined();
    const answer = Object.values(data ?? {})[0] as Record<string, unknown>;
    const rows = (parent ? answer["songsConnection"] : answer) as { nodes: { id: string }[]; pageInfo: object };
    return { ...rows, ...rows.pageInfo, ids: rows.nodes.map(({ id }) => id) };
  }

  test.each([
    ["mood: LOUD", ["1", "4"]],
    ["moodIn: [LOUD, CALM]", ["1", "3", "4", "6"]],
    ["moodIn: []", []],
    ["moodIn: null", ["1", "2", "3", "4", "5", "6"]],
    ["playsGt: 1, playsLt: 5", ["1", "3", "6"]],
    [`recordedAtGte: "2026-11-04", recordedAtLte: "2026-11-05T12:00:00.000Z"`, ["3", "4"]],
    [`title: "Song 2", moodIn: [WILD]`, ["2"]],
    [`title: "Song 2", mood: CALM`, []],
    ["original: true", ["1", "2", "4", "5"]],
    ["original: false", ["3", "6"]],
    ["original: null", ["1", "2", "3", "4", "5", "6"]],
    [`remixedAtIsNull: false, remixedAtGte: "2026-12-05"`, ["6"]],
  ])("filters by %s, and counts the same rows", async (filter, ids) => {
    expect(await page(`first: 10, ${filter}`)).toMatchObject({ ids, totalCount: ids.length });
  });

  test.each([
    ["", ["1", "2", "3", "4", "5", "6"]],
    ["orderBy: null", ["1", "2", "3", "4", "5", "6"]],
    ["orderBy: POPULAR", ["5", "4", "6", "3", "1", "2"]],
    ["orderBy: RARE", ["2", "1", "3", "6", "4", "5"]],
    ["orderBy: NEWEST", ["6", "5", "4", "3", "2", "1"]],
    ["orderBy: POPULAR, moodIn: [LOUD, CALM]", ["4", "6", "3", "1"]],
  ])("pages forwards and backwards with “%s”", async (args, ids) => {
    const whole = await page(`first: 10 ${args}`);
    expect(whole).toMatchObject({ ids, totalCount: ids.length, hasNextPage: false });
    const first = await page(`first: 2 ${args}`);
    expect(first).toMatchObject({ ids: ids.slice(0, 2), hasNextPage: true });
    const second = await page(`first: 2, after: "${first["endCursor"]}" ${args}`);
    expect(second.ids).toEqual(ids.slice(2, 4));
    const back = await page(`last: 1, before: "${second["startCursor"]}" ${args}`);
    expect(back.ids).toEqual(ids.slice(1, 2));
    expect((await page(`last: 2 ${args}`)).ids).toEqual(ids.slice(-2));
  });

  test.each([
    ["POPULAR", "RARE"],
    ["RARE", "POPULAR"],
    ["null", "NEWEST"],
    ["NEWEST", "null"],
    ["null", "POPULAR"],
  ])("refuses a cursor of %s in %s", async (one, other) => {
    const { endCursor } = await page(`first: 1, orderBy: ${one}`);
    for (const argument of ["after", "before"]) {
      const field = `songsConnection(first: 1, ${argument}: "${endCursor}", orderBy: ${other}) { nodes { id } }`;
      const { errors } = await service.ask(`{ ${parent ? `${parent} { id ${field} }` : field} }`);
      expect(errors).toMatchObject([
        { extensions: { code: "VALIDATION_ERROR", validationErrors: [{ field: argument, path: [argument] }] } },
      ]);
    }
  });

  test("takes filters and orders from variables", async () => {
    const connection = "songsConnection(moodIn: $moods, orderBy: $order) { totalCount nodes { id } }";
    const query = `query ($moods: [Mood!], $order: SongOrderBy) { ${parent ? `${parent} { ${connection} }` : connection} }`;
    const ask = async (variables: Record<string, unknown>) =>
      JSON.stringify((await service.ask(query, { variables })).data);
    expect(await ask({ moods: ["WILD"], order: "POPULAR" })).toContain(
      `{"totalCount":2,"nodes":[{"id":"5"},{"id":"2"}]}`,
    );
    expect(await ask({ moods: ["WILD"] })).toContain(`{"totalCount":2,"nodes":[{"id":"2"},{"id":"5"}]}`);
    expect(await ask({ moods: null, order: null })).toContain(`"totalCount":6`);
    const originals = "songsConnection(original: $original) { totalCount }";
    const counts = [];
    for (const original of [true, false, null, true]) {
      const text = `query ($original: Boolean) { ${parent ? `${parent} { ${originals} }` : originals} }`;
      counts.push(JSON.stringify((await service.ask(text, { variables: { original } })).data).match(/\d/)?.[0]);
    }
    expect(counts).toEqual(["4", "2", "6", "4"]);
  });
});

test.each([
  ["{ songs(orderBy: POPULAR, limit: 2) { id } }", ["5", "4"]],
  ["{ songs(orderBy: POPULAR, offset: 1, playsLt: 5) { id } }", ["3", "1", "2"]],
  ["{ band(id: 2) { songs(orderBy: RARE, moodIn: [WILD, CALM]) { id } } }", ["2", "6"]],
  ["{ list(id: 1) { songs(orderBy: NEWEST, limit: 1) { id } } }", ["6"]],
  ["{ list(id: 2) { songsConnection { nodes { id } } } }", []],
  ["{ hits { id } }", ["5", "4"]],
  ["{ hits(limit: 4, orderBy: RARE) { id } }", ["4", "5"]],
])("%s", async (query, ids) => {
  const { data, errors } = await service.ask(query);
  expect(errors).toBeUndefined();
  expect([...JSON.stringify(data).matchAll(/"id":"(\d+)"/g)].map(([, id]) => id)).toEqual(ids);
});

test("a foreign key that is unique and not null: not every row is referred to", async () => {
  const { data, errors } = await service.ask("{ bands { manager { band { name } } } }");
  expect(errors).toBeUndefined();
  expect(data.bands).toEqual([{ manager: { band: { name: "Tide" } } }, { manager: null }]);
});

describe("a list through a join table, ordered by its columns", () => {
  // id:     1  2  3  4  5  6
  // day:    1  4  4  1  0  1
  const ids = ["3", "2", "6", "4", "1", "5"];
  /** The engine answers a query that asks for `__schema` of the root as well. */
  const ask = async (field: string, rest = "") => {
    const { data, errors } = await service.ask(`{ band(id: 1) { ${field} } ${rest} }`);
    expect(errors).toBeUndefined();
    return Object.values(data.band)[0] as Record<string, never>;
  };
  const page = (args: string) =>
    `likedSongsConnection(${args}) { edges { cursor node { id } } pageInfo { hasNextPage } }`;
  const idsOf = ({ edges }: { edges?: { node: { id: string } }[] }) => edges?.map(({ node }) => node.id);

  test("has that order, also from inside of itself", async () => {
    expect(await ask("likedSongs(limit: 3, offset: 1) { id }")).toEqual(ids.slice(1, 4).map((id) => ({ id })));
    const nested = await ask("likedSongs(limit: 1) { fansConnection { nodes { likedSongs(limit: 2) { id } } } }");
    expect(nested).toEqual([{ fansConnection: { nodes: [{ likedSongs: [{ id: "3" }, { id: "2" }] }] } }]);
  });

  test("pages forwards and backwards, compiled and by the engine, with the same cursors", async () => {
    const all = await ask(page("first: 10"));
    expect(idsOf(all)).toEqual(ids);
    const [, second, , fourth] = (all as unknown as { edges: { cursor: string }[] }).edges;
    for (const rest of ["", "__schema { queryType { name } }"]) {
      expect(await ask(page("first: 10"), rest)).toEqual(all);
      const next = await ask(page(`first: 2, after: "${second?.cursor}"`), rest);
      expect(next).toMatchObject({ pageInfo: { hasNextPage: true } });
      expect(idsOf(next)).toEqual(ids.slice(2, 4));
      expect(idsOf(await ask(page(`last: 2, before: "${fourth?.cursor}"`), rest))).toEqual(ids.slice(1, 3));
    }
  });

  test("takes its number of rows from @totalCount, its description from @describe list, and has no list with @backwardBehavior -list", async () => {
    expect(await ask("likedSongsConnection { totalCount }")).toEqual({ totalCount: 70 });
    const { data } = await service.ask(
      `{ band: __type(name: "Band") { fields { name description } } song: __type(name: "Song") { fields { name } } }`,
    );
    expect(data.band.fields).toContainEqual({ name: "likedSongs", description: "What the band likes." });
    const names = data.song.fields.map(({ name }: { name: string }) => name);
    expect(names).toContain("fansConnection");
    expect(names).not.toContain("fans");
  });
});

test.each(["2026-02-30", "yesterday", "2026-11-05 12:00", "2026-11-05T25:00:00Z", "0000-01-01"])(
  "%s is no moment to filter by",
  async (moment) => {
    const literal = await service.ask(`{ songs(recordedAtGte: "${moment}") { id } }`);
    expect(literal.errors?.map(({ extensions }) => extensions?.code)).toEqual(["GRAPHQL_VALIDATION_FAILED"]);
    const query = "query ($from: Timestamp) { songs(recordedAtGte: $from) { id } }";
    const { errors } = await service.ask(query, { variables: { from: moment } });
    expect(errors).toMatchObject([
      { extensions: { code: "VALIDATION_ERROR", validationErrors: [{ field: "recordedAtGte" }] } },
    ]);
  },
);

describe("the default size of a page is the table's", () => {
  test.each([
    ["{ songs { id } }", 3],
    ["{ songs(limit: 100) { id } }", 6],
    ["{ songsConnection { nodes { id } } }", 3],
    ["{ hitsConnection { nodes { id } } }", 2],
  ])("%s has %i rows", async (query, count) => {
    const { data, errors } = await service.ask(query);
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data).match(/"id"/g)).toHaveLength(count);
  });

  test.each([
    ["{ songsConnection(first: 101) { totalCount } }", "first", 100],
    ["{ list(id: 1) { songsConnection(last: 101) { totalCount } } }", "last", 100],
    ["{ bands(limit: 101) { id } }", "limit", 100],
  ])("%s is refused", async (query, field, max) => {
    const { errors } = await service.ask(query);
    const fault = {
      field,
      code: "OUT_OF_RANGE",
      message: `${field} is a number from 0 to ${max}.`,
      params: { min: 0, max },
    };
    expect(errors).toMatchObject([{ extensions: { code: "VALIDATION_ERROR", validationErrors: [fault] } }]);
  });

  test("the weight of a document uses the same numbers", async () => {
    const nodes = async (query: string) => (await service.ask(query)).errors?.[0]?.message;
    const many = (field: string) => `{ ${Array.from({ length: 20 }, (_, i) => `a${i}: ${field}`).join(" ")} }`;
    expect(await nodes(many("songs(limit: 100) { band { songs { id } manager { id } } }"))).toContain("12,000 nodes");
    expect(
      await nodes(many("songsConnection(first: 100) { nodes { band { songs { id } manager { id } } } }")),
    ).toContain("12,020 nodes");
    // 20 lists of 100 rows each, so the document itself is not refused.
    expect(await nodes(many("hits(limit: 1000) { id }"))).toBe("Input failed validation");
  });
});
