import { Random } from "@content-service/testing/Random.ts";
import { answerWithoutTimes, compareMutations, type Side } from "../../tools/fuzz/compareMutations.ts";
import { readSql } from "../../tools/fuzz/fuzzedService.ts";
import { people, useService } from "../support/service.ts";
import { countTurns } from "../support/turns.ts";
import { planAtLeisure } from "./planAtLeisure.ts";

/*
 * A mutation is its function and what is asked of the result, in one transaction and one round trip. The engine is the oracle:
 * two databases with the same content run the same mutations, one each way.
 */
const service = useService({ rateLimitSignIn: 0 });
const engine = useService({ compileQueries: false, rateLimitSignIn: 0 });
const brief = useService({ queryLimits: { responseBytes: 20_000 } });
const content = readSql("everything.sql");

beforeAll(async () => {
  for (const each of [service, engine]) {
    planAtLeisure(each);
    await each.database.query(content);
  }
});

test("random mutations have the same answers both ways, and leave the same rows", async () => {
  const { ada, bob, admin, mallory } = people;
  const viewers = ["", ada, ada, bob, admin, mallory];
  const sideOf = ({ app, database }: typeof service): Side => ({ app, query: database.query });
  const random = new Random(3);
  const { differences, compiled, done } = await compareMutations(sideOf(service), sideOf(engine), 70, viewers, random);
  expect(differences).toEqual([]);
  expect(compiled).toBeGreaterThan(20);
  expect(done).toBeGreaterThan(6);
  // The tests below send messages and write to posts. Ada and Bob may have left the chat or be banned, and posts may be deleted.
  const restored = `
    insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2) on conflict do nothing;
    delete from app_public.bans where user_id in (1, 2);
    insert into app_public.posts (id, author_id, title, content, status) overriding system value values
      (1, 1, 'Restored 1', 'Text.', 'PUBLISHED'), (4, 1, 'Restored 4', 'Text.', 'PUBLISHED') on conflict (id) do nothing;
    update app_public.posts set author_id = 1, status = 'PUBLISHED' where id in (1, 4)`;
  for (const { database } of [service, engine]) await database.query(restored);
});

describe.each`
  mutation                                                                                             | compiled | inEngine
  ${'createPost(input: {title: "A", content: "B", tags: ["t"]}) { id author { name } tags { name } }'} | ${1}     | ${6}
  ${'updatePost(id: "4", input: {title: "C"}) { slug comments { text } }'}                             | ${1}     | ${4}
  ${'createComment(input: { postId: "1", text: "Yes" }) { id post { title } }'}                        | ${1}     | ${4}
  ${'followUser(userId: "5") { user { name followers { count } } }'}                                   | ${1}     | ${4}
  ${'sendMessage(chatId: "1", text: "Hello") { id sender { name } }'}                                  | ${1}     | ${4}
  ${'deletePost(id: "999") { success }'}                                                               | ${1}     | ${2}
  ${'createPost(input: {title: "", content: ""}) { id }'}                                              | ${1}     | ${2}
  ${'followUser(userId: "5") { user { email } }'}                                                      | ${1}     | ${4}
`("mutation { $mutation }", ({ mutation, compiled, inEngine }: any) => {
  test.each([
    ["compiled", service, compiled],
    ["in the engine", engine, inEngine],
  ])("%s takes so many turns on the wire", async (_way, { ask }, turns) => {
    const act = () => ask(`mutation { ${mutation} }`, { as: "ada" });
    // Prepares the statements.
    for (let i = 0; i < 3; i++) await act();
    expect(await countTurns(act)).toBe(turns);
  });
});

const functions = `
  create function app_public.act(bio text) returns app_public.users language plpgsql volatile security definer as $$
  declare
    v_user app_public.users;
  begin
    insert into app_public.tags (name) select 'act ' || count(*) from app_public.tags;
    update app_public.users set bio = act.bio where id = app_hidden.viewer_id() returning * into v_user;
    return v_user;
  end $$;
  create function app_public.users_answer(users app_public.users) returns text language plpgsql stable as $$
  begin
    if users.bio = 'Broken' then
      raise exception using errcode = 'NTFND', message = 'There is no answer.';
    end if;
    return users.bio;
  end $$;
  create function app_public.add_numbers(one int, other int default 10) returns int language sql volatile as $$ select one + other $$;
  create function app_public.nothing() returns app_public.users language sql volatile as $$ select null::app_public.users $$;
  grant execute on function app_public.act, app_public.users_answer, app_public.add_numbers, app_public.nothing to api_member;
`;

test("strangers who write at once neither fail nor wait for each other for ever", async () => {
  const mutations = Array.from({ length: 30 }, (_, i) => [
    `createPost(input: {title: "At once", content: "B", status: PUBLISHED, tags: ["new ${i % 3}", "new ${(i + 1) % 3}", "food"]}) { slug tags { name } }`,
    `sendMessage(chatId: "1", text: "${i}") { id }`,
    `followUser(userId: "${5 + (i % 2)}") { user { id } }`,
  ]).flat();
  const asked = mutations.map((mutation, i) => service.ask(`mutation { ${mutation} }`, { as: i % 2 ? "ada" : "bob" }));
  const answers = await Promise.all(asked);
  expect(answers.filter(({ errors }) => errors)).toEqual([]);
  const slugs = new Set(answers.flatMap(({ data }) => data?.createPost?.slug ?? []));
  expect(slugs.size).toBe(30);
  expect(slugs).toContain("at-once");
});

test("an answer that is too large is refused with the engine's words, and the mutation took effect once", async () => {
  const text = "word ".repeat(999);
  const created = `createComment(input: { postId: "1", text: "${text}" }) { id a: text b: text c: text d: text e: text }`;
  await brief.database.query(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'A', 'B', 'PUBLISHED')",
  );
  const { errors } = await brief.ask(`mutation { ${created} }`, { as: "ada" });
  expect(errors?.[0]).toMatchObject({ extensions: { limit: { name: "responseBytes", max: 20_000 } } });
  expect(errors?.[0]?.message).toContain("The mutations were executed.");
  expect(await brief.database.query("select id from app_public.comments")).toHaveLength(1);
});

describe("a function of a migration", () => {
  beforeAll(async () => {
    for (const { database, app } of [service, engine]) {
      await database.query(functions);
      await app.rebuild();
    }
  });

  async function tags(): Promise<number> {
    const [row] = await service.database.query<{ count: number }>(
      "select count(*)::int as count from app_public.tags where name like 'act %'",
    );
    return row?.count ?? 0;
  }

  test("takes effect once, also when its answer cannot be read", async () => {
    const act = (bio: string) =>
      service.ask("mutation ($b: String!) { act(bio: $b) { id answer } }", { as: "ada", variables: { b: bio } });
    expect(await act("Whole")).toEqual({ data: { act: { id: people.ada, answer: "Whole" } } });
    expect(await tags()).toBe(1);
    expect(await act("Broken")).toMatchObject({
      data: { act: { id: people.ada, answer: null } },
      errors: [{ path: ["act", "answer"], extensions: { code: "NOT_FOUND" } }],
    });
    expect(await tags()).toBe(2);
  });

  test.each([
    ["mutation { addNumbers(one: 1) }", {}],
    ["mutation { addNumbers(one: 1, other: null) }", {}],
    ["mutation ($o: Int) { addNumbers(one: 1, other: $o) }", {}],
    ["mutation ($o: Int) { addNumbers(one: 1, other: $o) }", { o: null }],
    ["mutation ($o: Int = 3) { sum: addNumbers(one: 1, other: $o) }", {}],
    ["mutation { addNumbers(one: 2147483647) }", {}],
    ["mutation { nothing { id } }", {}],
    ["mutation { one: addNumbers(one: 1) two: addNumbers(one: 2) kind: __typename }", {}],
  ])("%s with %p has the same answer both ways", async (query, variables) => {
    const compiled = await answerWithoutTimes(service, query, variables, people.ada);
    expect(compiled).toBe(await answerWithoutTimes(engine, query, variables, people.ada));
  });
});
