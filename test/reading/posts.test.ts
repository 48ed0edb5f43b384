import { type OperationDefinitionNode, parse } from "graphql";
import { type Person, people, useService } from "../support/service.ts";

/* Lists of posts by author, tag and order, their pages and their numbers, compared with a plain query of the owner. */
const service = useService();

beforeAll(() =>
  service.database.query(`
    insert into app_public.users (name) values ('Carol');
    insert into app_public.posts (author_id, title, content, status)
      select (array[1, 2, 5])[1 + n % 3], (array['Öl', 'apple', 'Apple', 'Zebra'])[1 + n % 4], 'Text.',
             (case when n % 4 < 2 then 'DRAFT' else 'PUBLISHED' end)::app_public.post_status
        from generate_series(1, 48) n;
    update app_public.posts set published_at = timestamptz '2026-01-01' + (id * 7 % 13) * interval '1 day' where status = 'PUBLISHED';
    update app_public.posts set title = title || '.' where id % 5 = 0;
    select app_hidden.set_post_tags(id, array_remove(array[case when id % 2 = 0 then 'straße' end, case when id % 7 = 0 then 'été' end,
             case when author_id = 1 and status = 'DRAFT' then 'hidden' end], null)) from app_public.posts;
    update app_public.posts set updated_at = timestamptz '2026-02-01' + (id * 5 % 11) * interval '1 hour';`),
);

const viewers: Person[] = ["nobody", "ada", "admin"];
const orders = {
  "": "listed_at desc, id desc",
  NEWEST: "listed_at desc, id desc",
  OLDEST: "listed_at, id",
  UPDATED: "updated_at desc, id desc",
  TITLE: "title, id",
};

interface Filter {
  status?: string;
  authorId?: string;
  tag?: string;
}

const filters: Filter[] = [
  {},
  { authorId: "1" },
  { authorId: "5", status: "DRAFT" },
  { authorId: "99" },
  { tag: " STRASSE" },
  { tag: "E\u0301TE\u0301" },
  { tag: "hidden" },
  { tag: "straße", status: "PUBLISHED" },
  { tag: "straße", status: "DRAFT" },
  { tag: "straße", authorId: "2" },
];

/** The ids that the viewer may see, by a rule written anew. */
async function visible(
  viewer: Person,
  { status, authorId, tag }: Filter,
  order: keyof typeof orders,
): Promise<string[]> {
  const id = viewer === "nobody" ? "null" : people[viewer];
  const name = tag?.trim().toLowerCase().normalize("NFC").replace("strasse", "straße");
  const rows = await service.database.query<{ id: string }>(`
    select id from app_public.posts
     where (status = 'PUBLISHED' or author_id = ${id} or ${viewer === "admin"})
       and ${status ? `status = '${status}'` : true} and ${authorId ? `author_id = ${authorId}` : true}
       and ${name === undefined ? true : `exists (select from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = posts.id and name = '${name}')`}
     order by ${orders[order]}`);
  return rows.map((row) => String(row.id));
}

function written(args: Record<string, unknown>): string {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== "");
  return given
    .map(([key, value]) => `${key}: ${["status", "orderBy"].includes(key) ? value : JSON.stringify(value)}`)
    .join(", ");
}

async function ask(query: string, as: Person, variables = {}): Promise<any> {
  const { data, errors } = await service.ask(query, { as, variables });
  expect(errors).toBeUndefined();
  return data;
}

/** All pages of a connection, one after the other. */
async function walk(field: (args: string) => string, args: Record<string, unknown>, as: Person): Promise<string[]> {
  const [size, place] = "first" in args ? (["endCursor", "after"] as const) : (["startCursor", "before"] as const);
  const ids: string[] = [];
  const selected = "{ nodes { id } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }";
  const query = `query ($cursor: Cursor) ${field(`(${written(args)}, ${place}: $cursor) ${selected}`)}`;
  for (let cursor: string | undefined; ; ) {
    const data = await ask(query, as, { cursor });
    const { nodes, pageInfo } =
      "postsConnection" in data ? data.postsConnection : Object.values<any>(data)[0].postsConnection;
    const found = nodes.map(({ id }: { id: string }) => id);
    ids.splice(place === "after" ? ids.length : 0, 0, ...found);
    if (!(place === "after" ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) return ids;
    cursor = pageInfo[size];
  }
}

describe.each(viewers)("as %s", (viewer) => {
  test.each(filters)("%j: the list, its pages both ways and its numbers, in each order", async (filter) => {
    for (const orderBy of Object.keys(orders) as (keyof typeof orders)[]) {
      const ids = await visible(viewer, filter, orderBy);
      const { posts } = await ask(`{ posts(${written({ limit: 100, ...filter, orderBy })}) { id } }`, viewer);
      expect(posts.map(({ id }: { id: string }) => id)).toEqual(ids);
      // The same as NEWEST.
      if (orderBy === "") continue;
      const connection = (args: string) => `{ postsConnection${args} }`;
      expect(await walk(connection, { first: 17, ...filter, orderBy }, viewer)).toEqual(ids);
      expect(await walk(connection, { last: 14, ...filter, orderBy }, viewer)).toEqual(ids);
    }
    const { length } = await visible(viewer, filter, "");
    const given = written({ ...filter });
    const counts = await ask(
      `{ postsCount${given && `(${given})`} postsConnection${given && `(${given})`} { totalCount } }`,
      viewer,
    );
    expect(counts).toEqual({ postsCount: length, postsConnection: { totalCount: length } });
  });

  test("the posts of a user and of a tag, in each order, with their numbers", async () => {
    for (const [parent, filter] of [
      ['tagByName(name: " Straße ")', { tag: "straße" }],
      [`user(id: "1")`, { authorId: "1" }],
    ] as const) {
      for (const orderBy of ["", "OLDEST", "UPDATED", "TITLE"] as const) {
        const ids = await visible(viewer, filter, orderBy);
        const connection = (args: string) => `{ ${parent} { postsConnection${args} } }`;
        expect(await walk(connection, { first: 9, orderBy }, viewer)).toEqual(ids);
        expect(await walk(connection, { last: 7, orderBy }, viewer)).toEqual(ids);
      }
      for (const status of [undefined, "DRAFT", "PUBLISHED"]) {
        const { length } = await visible(viewer, { ...filter, ...(status ? { status } : null) }, "");
        const given = status ? `(status: ${status})` : "";
        const data = await ask(`{ ${parent} { postsCount${given} postsConnection${given} { totalCount } } }`, viewer);
        expect(Object.values(data)[0]).toEqual({ postsCount: length, postsConnection: { totalCount: length } });
      }
    }
  });
});

test("a post is found by its slug, and a draft only by those who may see it", async () => {
  const [draft, published] = await service.database.query<{ slug: string; title: string }>(
    "select distinct on (status) slug, title from app_public.posts where author_id = 1 order by status, id",
  );
  for (const viewer of viewers) {
    const query = (slug?: string) => `{ postBySlug(slug: ${JSON.stringify(slug)}) { title } }`;
    expect(await ask(query(published?.slug), viewer)).toEqual({ postBySlug: { title: published?.title } });
    const { data, errors } = await service.ask(query(draft?.slug), { as: viewer });
    const isSeen = viewer === "ada" || viewer === "admin";
    expect(data).toEqual({ postBySlug: isSeen ? { title: draft?.title } : null });
    expect(errors?.[0]?.extensions?.code).toBe(isSeen ? undefined : "NOT_FOUND");
  }
});

test("lists by author, tag and order are compiled", () => {
  for (const query of [
    `{ posts(limit: 3, authorId: "1", tag: "a", orderBy: UPDATED) { id } }`,
    `{ postsConnection(last: 3, orderBy: TITLE) { totalCount nodes { id } pageInfo { startCursor } } }`,
    `{ postBySlug(slug: "a") { id } tagByName(name: "a") { postsCount postsConnection(first: 2, orderBy: OLDEST) { nodes { id } } } }`,
  ]) {
    const document = parse(query);
    const [operation] = document.definitions as [OperationDefinitionNode];
    expect(service.app.pipeline.served.compiled?.find(document, operation, {})).toBeDefined();
  }
});

test("a feed is everybody's until somebody whom the viewer follows has published, then theirs and the viewer's own", async () => {
  const feed = async (as: Person): Promise<string[]> => {
    const { data } = await service.ask(
      "{ feed(limit: 100) { id author { id } } feedConnection(first: 100) { nodes { id } } }",
      { as },
    );
    const ids = data.feed.map(({ id }: { id: string }) => id);
    expect(data.feedConnection.nodes.map(({ id }: { id: string }) => id)).toEqual(ids);
    return ids;
  };
  const everybodys = await feed("nobody");
  expect(await feed("ada")).toEqual(everybodys);
  // The admin has drafts only.
  await service.ask('mutation { createPost(input: { title: "Draft", content: "Text." }) { id } }', { as: "admin" });
  await service.ask('mutation { followUser(userId: "3") { user { id } } }', { as: "ada" });
  expect(await feed("ada")).toEqual(everybodys);
  await service.ask('mutation { followUser(userId: "2") { user { id } } }', { as: "ada" });
  const others = await visible("nobody", { authorId: "5" }, "");
  expect(await feed("ada")).toEqual(everybodys.filter((id) => !others.includes(id)));
  expect(others).not.toEqual([]);
});

test("what is new in a feed is before the first cursor that a client has", async () => {
  const first = await service.ask("{ feedConnection(first: 1) { pageInfo { startCursor } } }");
  const newer = async () => {
    const query = "query ($before: Cursor) { feedConnection(last: 20, before: $before) { nodes { title } } }";
    const variables = { before: first.data.feedConnection.pageInfo.startCursor };
    return (await service.ask(query, { variables })).data.feedConnection.nodes;
  };
  expect(await newer()).toEqual([]);
  for (const title of ["One", "Two", "Three"]) {
    const input = `{ title: "${title}", content: "Text.", status: PUBLISHED }`;
    await service.ask(`mutation { createPost(input: ${input}) { id } }`, { as: "bob" });
  }
  expect(await newer()).toEqual([{ title: "Three" }, { title: "Two" }, { title: "One" }]);
});

test("tags are found by their beginning, in any case, of those that the viewer may see", async () => {
  const named = async (text: string, as: Person = "nobody", rest = "") => {
    const query = `query ($text: String) { tagsConnection(nameStartsWith: $text${rest}) { totalCount nodes { name } pageInfo { endCursor } } }`;
    const { data, errors } = await service.ask(query, { as, variables: { text } });
    expect(errors).toBeUndefined();
    const { totalCount, nodes, pageInfo } = data.tagsConnection as any;
    return { names: nodes.map(({ name }: { name: string }) => name), totalCount, ...pageInfo };
  };
  expect(await named("STR")).toMatchObject({ names: ["straße"], totalCount: 1 });
  expect(await named("E\u0301")).toMatchObject({ names: ["été"], totalCount: 1 });
  expect((await named("hid")).names).toEqual([]);
  expect((await named("hid", "ada")).names).toEqual(["hidden"]);
  const { names, endCursor } = await named("hi", "ada", ", first: 1");
  expect(names).toEqual(["hidden"]);
  expect((await named("hi", "ada", `, after: "${endCursor}"`)).names).toEqual([]);
  for (const text of ["", "!", "t", "%", "_", "\\", "x".repeat(100_000)]) expect((await named(text)).names).toEqual([]);
});
