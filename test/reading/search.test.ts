import { type OperationDefinitionNode, parse } from "graphql";
import { type Person, useService } from "../support/service.ts";

/* The search finds what its viewer may see: by words, by similar titles, in an order, in pages, and with safe fragments. */
const service = useService();

const posts = `
  insert into app_public.posts (author_id, title, content, status) values
    (1, 'On bread', 'Flour, water & <script>alert(1)</script> salt. Knead the dough.', 'PUBLISHED'),
    (2, 'On water', 'Bread needs water. Gärten need it, too.', 'PUBLISHED'),
    (1, 'A secret bread', 'The hidden sourdough.', 'DRAFT'),
    (2, 'Bob’s notes', 'A hidden rye bread.', 'DRAFT'),
    (1, 'Хлеб и соль', 'Мука, вода.', 'PUBLISHED'),
    (1, 'Gardening in winter', 'Nothing grows.', 'PUBLISHED')`;

beforeAll(async () => {
  await service.database.query(posts);
  await service.database.query(
    "select app_hidden.set_post_tags(1, array['baking']), app_hidden.set_post_tags(2, array['baking', 'nature'])",
  );
});

async function search(args: string, as: Person = "nobody"): Promise<any[]> {
  const { data, errors } = await service.ask(
    `{ searchConnection(${args}) { nodes { rank titleHtml fragmentsHtml post { id title } } } }`,
    {
      as,
    },
  );
  expect(errors).toBeUndefined();
  return (data as any).searchConnection.nodes;
}

/** Forty words of two letters. */
const pairs = Array.from({ length: 40 }, (_, index) => "abcdefgh"[index % 8] + ("abcde"[index % 5] as string));
const idsOf = (found: any[]) => found.map(({ post }) => post.id);
const titles = async (args: string, as?: Person) => (await search(args, as)).map(({ post }) => post.title).sort();

test("finds posts by their words, those with a word in the title first", async () => {
  const found = await search(`text: "BREAD"`);
  expect(idsOf(found)).toEqual(["1", "2"]);
  expect(found[0].rank).toBeGreaterThan(found[1].rank);
  expect(found[1].rank).toBeGreaterThan(1);
  expect(await titles(`text: "bread dough"`)).toEqual(["On bread"]);
  expect(await titles(`text: "bread -dough"`)).toEqual(["On water"]);
  expect(await titles(`text: "dough or winter"`)).toEqual(["Gardening in winter", "On bread"]);
  expect(await titles(`text: "\\"knead the\\""`)).toEqual(["On bread"]);
  expect(await titles(`text: "хлеб"`)).toEqual(["Хлеб и соль"]);
  expect(await titles(`text: "ga\u0308rten"`)).toEqual(["On water"]);
});

test("forgives spelling mistakes in titles, after the posts that have the words", async () => {
  const [first, ...others] = await search(`text: "gardning"`);
  expect([first.post.title, others]).toEqual(["Gardening in winter", []]);
  expect(first.rank).toBeLessThan(1);
  expect(first.rank).toBeGreaterThan(0.5);
  expect(idsOf(await search(`text: "хлебы"`))).toEqual(["5"]);
  expect(await search(`text: "quantum"`)).toEqual([]);
});

test("the last word may be unfinished, where few posts have it as it is", async () => {
  // Titles can be similar besides.
  const found = async (args: string, as?: Person) => (await search(args, as)).filter(({ rank }) => rank >= 1);
  expect(await found(`text: "gard"`)).toMatchObject([
    { post: { id: "6" }, titleHtml: "<mark>Gardening</mark> in winter" },
  ]);
  expect(idsOf(await found(`text: "bread need"`))).toEqual(["2"]);
  expect((await found(`text: "bread kne"`))[0].fragmentsHtml).toContain("<mark>Knead</mark>");
  expect(idsOf(await found(`text: "хл"`))).toEqual(["5"]);
  expect(await found(`text: "hidd", authorId: "1"`, "bob")).toEqual([]);
  // A word that another one, quotation marks or an operator finish.
  for (const text of ["kne bread", '"bread nee"', "wint or kne"]) {
    expect(await found(`text: ${JSON.stringify(text)}`)).toEqual([]);
  }
});

test.each`
  viewer      | hidden                               | misspelt
  ${"nobody"} | ${[]}                                | ${[]}
  ${"ada"}    | ${["A secret bread"]}                | ${["A secret bread"]}
  ${"bob"}    | ${["Bob’s notes"]}                   | ${[]}
  ${"admin"}  | ${["A secret bread", "Bob’s notes"]} | ${["A secret bread"]}
`("$viewer finds their own drafts only, an admin all", async ({ viewer, hidden, misspelt }: any) => {
  expect(await titles(`text: "hidden"`, viewer)).toEqual(hidden);
  expect(await titles(`text: "seccret"`, viewer)).toEqual(misspelt);
  expect(await titles(`text: "hidden", authorId: "1"`, viewer)).toEqual(
    hidden.filter((title: string) => title !== "Bob’s notes"),
  );
  const { data } = await service.ask(`{ searchConnection(text: "hidden") { totalCount } }`, { as: viewer });
  expect(data).toEqual({ searchConnection: { totalCount: hidden.length } });
});

test("the ranks of visible posts do not depend on the drafts of others", async () => {
  const before = await search(`text: "bread"`);
  await service.database.query(
    "insert into app_public.posts (author_id, title, content) values (3, 'bread bread', 'bread')",
  );
  expect(await search(`text: "bread"`)).toEqual(before);
  await service.database.query("delete from app_public.posts where author_id = 3");
});

test("filters by tag, in any case, and by author", async () => {
  expect(await titles(`text: "water", tag: " BAKING "`)).toEqual(["On bread", "On water"]);
  expect(await titles(`text: "water", tag: "nature"`)).toEqual(["On water"]);
  expect(await titles(`text: "water", tag: "none"`)).toEqual([]);
  expect(await titles(`text: "water", authorId: "1"`)).toEqual(["On bread"]);
  expect(await titles(`text: "gardning", tag: "baking"`)).toEqual([]);
});

test("fragments mark the matches, and nothing else of them is markup", async () => {
  const [bread] = await search(`text: "bread salt knead"`);
  expect(bread.titleHtml).toBe("On <mark>bread</mark>");
  expect(bread.fragmentsHtml).toBe("Flour, water &amp; <mark>salt</mark>. <mark>Knead</mark> the dough.");
  await service.database.query(`insert into app_public.posts (author_id, title, content, status) values
    (2, '<mark onclick=x>hostile</mark> "&amp;"', '<img src=x onerror=alert(1)> hostile <b>&lt;</b> <!-- hostile --> ''', 'PUBLISHED')`);
  const [hostile] = await search(`text: "hostile"`);
  for (const html of [hostile.titleHtml, hostile.fragmentsHtml]) {
    expect(html).toContain("<mark>hostile</mark>");
    expect(html.replaceAll(/<\/?mark>/g, "")).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
  }
});

test("fragments come from the part of a long text that has the words, or else one of them", async () => {
  await service.database.query(`insert into app_public.posts (author_id, title, content, status)
    select 1, 'Long', repeat('other ', 1000) || 'vesta. ' || repeat('other ', 1000) || 'ceres, vesta and juno.', 'PUBLISHED'`);
  const marked = async (text: string) => (await search(`text: ${JSON.stringify(text)}`))[0].fragmentsHtml;
  expect(await marked("ceres vesta")).toContain("<mark>ceres</mark>, <mark>vesta</mark> and juno");
  expect(await marked('"vesta and juno"')).toContain("<mark>vesta</mark> <mark>and</mark> <mark>juno</mark>");
  expect(await marked("vesta vesta -pallas")).toContain("other <mark>vesta</mark>. other");
  expect(await marked("long ceres")).toContain("<mark>ceres</mark>, vesta and juno");
  await service.database.query("delete from app_public.posts where title = 'Long'");
});

// Each of these searches took longer than a statement may.
test.each([
  ["forty words, each 300 times", `${pairs.join(" ")} `.repeat(300), [pairs.join(" ")]],
  [
    "a word that the search names 66 times, or 60 times in a phrase",
    "aa ".repeat(12_000),
    [Array(66).fill("aa").join(" "), `"${Array(60).fill("aa").join(" ")}"`],
  ],
])("posts written for it do not make a search slow: %s", async (_, content, texts) => {
  await service.database.query(
    `insert into app_public.posts (author_id, title, content, status)
     select 1, 'Slow', $1, 'PUBLISHED' from generate_series(1, 30)`,
    [content],
  );
  for (const text of texts) expect(await search(`text: ${JSON.stringify(text)}, first: 100`)).toHaveLength(30);
  await service.database.query("delete from app_public.posts where title = 'Slow'");
});

test.each([
  [`"  "`, "BLANK"],
  [`""`, "BLANK"],
  [JSON.stringify("x".repeat(201)), "TOO_LONG"],
  [`"a\\u0000"`, "CHARACTERS"],
  [JSON.stringify(`a${"\u0301".repeat(40)}`), "MARKS"],
])("refuses the text %s with %s", async (text, code) => {
  const { data, errors } = await service.ask(`{ searchConnection(text: ${text}) { __typename } }`);
  expect(data).toEqual({ searchConnection: null });
  expect(errors).toMatchObject([
    {
      path: ["searchConnection"],
      extensions: { code: "VALIDATION_ERROR", validationErrors: [{ path: ["text"], code }] },
    },
  ]);
});

test.each(["!!!", "-bread", `"`, "or", "<->", "a\\\\b:*"])("%s finds nothing and is no error", async (text) => {
  expect(await search(`text: ${JSON.stringify(text)}`)).toEqual([]);
});

test("pages of a search, forwards and backwards", async () => {
  await service.database.query(`insert into app_public.posts (author_id, title, content, status)
    select 2, 'Pages ' || n, 'leaf ' || repeat('other ', n % 4), 'PUBLISHED' from generate_series(1, 12) n`);
  const all = idsOf(await search(`text: "leaf", first: 100`));
  expect(all).toHaveLength(12);
  const walk = async (args: string, place: string, cursorName: string, hasMore: string) => {
    const pages: string[][] = [];
    for (let cursor = ""; ; ) {
      const { data } = await service.ask(
        `{ searchConnection(text: "leaf", ${args}${cursor && `, ${place}: "${cursor}"`}) { totalCount nodes { post { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`,
      );
      const { nodes, totalCount, pageInfo } = (data as any).searchConnection;
      expect(totalCount).toBe(12);
      pages.push(idsOf(nodes));
      if (!pageInfo[hasMore]) return pages;
      cursor = pageInfo[cursorName];
    }
  };
  expect((await walk("first: 5", "after", "endCursor", "hasNextPage")).flat()).toEqual(all);
  expect((await walk("last: 5", "before", "startCursor", "hasPreviousPage")).reverse().flat()).toEqual(all);
  await service.database.query("delete from app_public.posts where content like 'leaf %'");
});

test("follows each change of a post, through the API and SQL alike", async () => {
  const { data } = await service.ask(
    `mutation { createPost(input: { title: "Lighthouse", content: "Keeper." }) { id } }`,
    { as: "bob" },
  );
  const { id } = (data as any).createPost;
  expect(await titles(`text: "keeper"`)).toEqual([]);
  await service.ask(`mutation { updatePost(id: "${id}", input: { status: PUBLISHED }) { id } }`, { as: "bob" });
  expect(await titles(`text: "keeper"`)).toEqual(["Lighthouse"]);
  await service.database.query(`update app_public.posts set content = 'Tower.', author_id = 1 where id = ${id}`);
  expect(await titles(`text: "keeper"`)).toEqual([]);
  expect(await titles(`text: "tower", authorId: "1"`)).toEqual(["Lighthouse"]);
  await service.ask(`mutation { updatePost(id: "${id}", input: { status: DRAFT }) { id } }`, { as: "ada" });
  expect(await titles(`text: "tower"`)).toEqual([]);
  await service.database.query(`delete from app_public.posts where id = ${id}`);
  expect(await service.database.query(`select from app_private.post_words where post_id = ${id}`)).toEqual([]);
});

test("maintenance finds the words of posts that have none, and all words anew in another language", async () => {
  await service.database.query("delete from app_private.post_words where post_id < 3");
  expect(await titles(`text: "dough"`)).toEqual([]);
  await service.database.query("call app_private.maintain()");
  expect(await titles(`text: "dough"`)).toEqual(["On bread"]);
  expect(await titles(`text: "needing"`)).toEqual([]);
  await service.database.query("select app_private.set_search_language('english')");
  await service.database.query("call app_private.maintain()");
  expect(await titles(`text: "needing the waters"`)).toEqual(["On water"]);
  // Stop words only.
  expect(await titles(`text: "the"`)).toEqual([]);
  expect((await search(`text: "kneading"`))[0].fragmentsHtml).toContain("<mark>Knead</mark>");
  await service.database.query("select app_private.set_search_language('simple')");
  await service.database.query("call app_private.maintain()");
  expect(await titles(`text: "needing"`)).toEqual([]);
});

test("a search is compiled", () => {
  for (const query of [
    `{ searchConnection(text: "a", first: 3) { nodes { rank titleHtml fragmentsHtml post { title } } } }`,
    `{ searchConnection(text: "a", first: 3) { totalCount edges { cursor node { rank post { id } } } pageInfo { endCursor } } }`,
  ]) {
    const document = parse(query);
    const [operation] = document.definitions as [OperationDefinitionNode];
    expect(service.app.pipeline.served.compiled?.find(document, operation, {})).toBeDefined();
  }
});
