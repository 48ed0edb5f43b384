import { useService } from "../support/service.ts";

/* How much an answer may hold is known only when there is one: what the columns have in them decides. */
const max = 20_000;
const service = useService({ queryLimits: { responseBytes: max }, poolSize: 2 });
const content = (length: number) => `select repeat('x', ${length})`;

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status)
    values (1, 'One', (${content(9_000)}), 'PUBLISHED'), (1, 'Two', (${content(9_000)}), 'PUBLISHED');
    insert into app_public.posts (author_id, title, content, status)
    select 2, 'Of many ' || n, (${content(9_000)}), 'PUBLISHED' from generate_series(1, 20) n`);
});

const refusal = (path: object = {}) => ({
  ...path,
  message: expect.stringMatching(/^This operation's response has at least [\d,]+ bytes; at most 20,000 are allowed\./),
  extensions: { code: "VALIDATION_ERROR", limit: { name: "responseBytes", max, asked: expect.any(Number) } },
});
const postsOf = (id: number, fields: string) => `user(id: ${id}) { posts(limit: 30) { ${fields} } }`;

test("an answer within the limit is given", async () => {
  const { data, errors } = await service.ask(`{ ${postsOf(1, "content")} }`);
  expect(errors).toBeUndefined();
  expect(data.user.posts.map((post: any) => post.content.length)).toEqual([9_000, 9_000]);
});

test("one text that stands in it many times counts each time", async () => {
  const answer = await service.ask(`{ ${postsOf(1, "a: content b: content")} }`);
  expect(answer).toMatchObject({ data: null, errors: [refusal()] });
});

test("data beyond the limit is not read from the database", async () => {
  const { data, errors } = await service.ask(`{ __typename ${postsOf(2, "content")} }`);
  expect(data).toMatchObject({ user: null });
  expect(errors?.[0]).toMatchObject(refusal({ path: ["user"] }));
});

test("all that one request gets counts together, and each request anew", async () => {
  const [one, other] = [1, 2].map(
    (place) =>
      `p${place}: posts(limit: 1, offset: ${place}) { content } q${place}: posts(limit: 1, offset: ${place}, status: PUBLISHED) { content }`,
  );
  expect((await service.ask(`{ ${one} ${other} }`)).errors).not.toBeUndefined();
  for (const query of [one, other, one]) expect((await service.ask(`{ ${query} }`)).errors).toBeUndefined();
});

test("a mutation whose answer is too large says that it is done", async () => {
  const create = (title: string, fields: string) =>
    service.ask(`mutation { createPost(input: {title: "${title}", content: "x"}) { ${fields} } }`, { as: "ada" });
  const titles = async () =>
    (await service.database.query("select title from app_public.posts where content = 'x'")).map((row) => row["title"]);

  const { data, errors } = await create("Done", "author { posts(limit: 2) { a: content b: content c: content } }");
  expect(data).toBeNull();
  expect(errors?.[0]?.message).toMatch(/ The mutations were executed\.$/);
  expect(await titles()).toEqual(["Done"]);
});

test("the connections and their callers are as before", async () => {
  for (const as of ["ada", "bob", "nobody", "ada"] as const) {
    await service.ask(`{ ${postsOf(2, "content")} }`, { as });
    expect((await service.ask("{ me { name } }", { as })).data.me).toEqual(
      { ada: { name: "Ada" }, bob: { name: "Bob" }, nobody: null }[as],
    );
  }
});
