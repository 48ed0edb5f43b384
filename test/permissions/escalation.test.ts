import { useService } from "../support/service.ts";
import { keepContent, resetContent } from "./outcome.ts";

/* Attempts to gain rights: each is refused, and stores nothing. */
const service = useService();
let restore: () => Promise<void>;
beforeAll(async () => {
  await resetContent(service);
  restore = await keepContent(service);
});
afterEach(() => restore());

/** Every row of every table, as text, without the audit trail. */
async function everything(): Promise<unknown> {
  const tables = await service.database.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
     where relkind = 'r' and not relispartition and relnamespace = 'app_public'::regnamespace or oid = 'app_private.accounts'::regclass`);
  const rows = tables.map(({ name }) => `select '${name}' as place, t::text as row from ${name} t`);
  return service.database.query(`${rows.join(" union all ")} order by 1, 2`);
}

describe("a field that clients may not set", () => {
  const create = "mutation Create($input: CreatePostInput!) { createPost(input: $input) { id } }";
  const update = `mutation Update($input: UpdatePostInput!) { updatePost(id: "3", input: $input) { id } }`;
  const good = { title: "Title", content: "Text." };

  test.each([
    ["authorId", create, { ...good, authorId: "1" }],
    ["author_id", create, { ...good, author_id: "1" }],
    ["author", create, { ...good, author: { id: "1" } }],
    ["id", create, { ...good, id: "2" }],
    ["slug", create, { ...good, slug: "mine" }],
    ["publishedAt", create, { ...good, publishedAt: "2000-01-01" }],
    ["role", create, { ...good, role: "ADMIN" }],
    ["__proto__", create, JSON.parse(`{"title": "Title", "content": "Text.", "__proto__": {"authorId": "1"}}`)],
    ["authorId", update, { authorId: "1" }],
    ["publishedAt", update, { publishedAt: "2000-01-01" }],
    ["createdAt", update, { createdAt: "2000-01-01" }],
    ["id", update, { id: "1" }],
    ["__typename", update, { title: "New", __typename: "Post" }],
  ])("%s in variables is refused by name: %s", async (field, query, input) => {
    const before = await everything();
    const { data, errors } = await service.ask(query, { variables: { input }, as: "bob" });
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["input", field], field }],
    });
    expect(await everything()).toEqual(before);
  });

  test.each([
    `mutation { createUser(name: "Eve", email: "eve@example.com", role: ADMIN) { id } }`,
    `mutation { createUser(name: "Eve", email: "eve@example.com", id: "3") { id } }`,
    `mutation { createPost(input: {title: "Title", content: "Text.", authorId: "1"}) { id } }`,
    `mutation { updatePost(id: "3", authorId: "1", input: {title: "New"}) { id } }`,
    `mutation { sendMessage(chatId: "1", senderId: "1", text: "Hm.") { id } }`,
    `mutation { createComment(input: { postId: "1", authorId: "1", text: "Hm." }) { id } }`,
    `mutation { updateUser(id: "2", role: ADMIN) { id } }`,
  ])("in the document is refused before anything is done: %s", async (query) => {
    const before = await everything();
    const { data, errors } = await service.ask(query, { as: "bob" });
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
    expect(await everything()).toEqual(before);
  });
});

describe("two mutations in one request", () => {
  test("each has the caller’s rights, and a failed one rolls back only itself", async () => {
    const { data, errors } = await service.ask(
      `mutation {
        mine: updatePost(id: "3", input: {title: "Mine"}) { title }
        hers: updatePost(id: "1", input: {title: "Mine, too"}) { title }
        hidden: updatePost(id: "2", input: {title: "Mine, too"}) { title }
        again: updatePost(id: "3", input: {excerpt: "Mine"}) { title excerpt }
      }`,
      { as: "bob" },
    );
    expect(data).toEqual({
      mine: { title: "Mine" },
      hers: null,
      hidden: null,
      again: { title: "Mine", excerpt: "Mine" },
    });
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [["hers"], "UNAUTHORIZED"],
      [["hidden"], "NOT_FOUND"],
    ]);
    expect(await service.database.query("select title from app_public.posts order by id")).toEqual([
      { title: "Ada’s post" },
      { title: "Ada’s draft" },
      { title: "Mine" },
      { title: "Ada’s deleted post" },
      { title: "Bob’s submitted post" },
    ]);
  });

  test("signing in gives the next mutation no rights", async () => {
    const { data, errors } = await service.ask(`mutation {
      signIn(email: "carol@example.com", password: "carol’s password") { userId user { email } }
      createPost(input: {title: "As Carol?", content: "Text."}) { id }
    }`);
    expect(data).toEqual({ signIn: { userId: "5", user: { email: "carol@example.com" } }, createPost: null });
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([[["createPost"], "UNAUTHORIZED"]]);
  });

  test("a sign-up shows the new user’s email only", async () => {
    const { data, errors } = await service.ask(`mutation {
      createUser(name: "Eve", email: "eve@example.com") { email }
      followed: createUser(name: "Eve", email: "eve2@example.com") { email posts { author { email } } }
    }`);
    expect(data).toEqual({
      createUser: { email: "eve@example.com" },
      followed: { email: "eve2@example.com", posts: [] },
    });
    expect(errors).toBeUndefined();
    const later = await service.ask(`{ users { email } }`);
    expect(later.data.users.every(({ email }: { email: unknown }) => email === null)).toBe(true);
  });
});

test.each(["ada@example.com", "ADA@example.com", "Ada@Example.COM"])(
  "createUser with the address of somebody else, as %s, is refused, and shows nothing of them",
  async (email) => {
    const before = await everything();
    const { data, errors } = await service.ask(
      `mutation { createUser(name: "Eve", email: "${email}") { id name email } }`,
    );
    expect(data).toEqual({ createUser: null });
    expect(errors?.[0]?.extensions).toEqual({
      code: "VALIDATION_ERROR",
      validationErrors: [
        { path: ["email"], field: "email", code: "NOT_UNIQUE", message: "This email is already in use." },
      ],
    });
    expect(await everything()).toEqual(before);
  },
);

describe("a missing row and an invisible row give exactly the same error", () => {
  const missing = "99";
  test.each([
    ["a post", "2", (id: string) => `{ post(id: "${id}") { title } }`],
    [
      "a message",
      "1",
      (id: string) => `{ node(nodeId: "${btoa(`["Message","${id}"]`)}") { ... on Message { text } } }`,
    ],
    ["a chat’s messages", "1", (id: string) => `{ chat(id: "${id}") { messagesConnection { nodes { text } } } }`],
    ["a post to update", "2", (id: string) => `mutation { updatePost(id: "${id}", input: {title: "New"}) { id } }`],
    ["a post to update badly", "2", (id: string) => `mutation { updatePost(id: "${id}", input: {title: ""}) { id } }`],
    ["a post to delete", "2", (id: string) => `mutation { deletePost(id: "${id}") { message } }`],
    [
      "a post to comment on",
      "2",
      (id: string) => `mutation { createComment(input: { postId: "${id}", text: "Hm." }) { id } }`,
    ],
    ["a comment to delete", "2", (id: string) => `mutation { deleteComment(id: "${id}") { message } }`],
    ["a chat to write in", "1", (id: string) => `mutation { sendMessage(chatId: "${id}", text: "Hm.") { id } }`],
    ["a chat to leave", "1", (id: string) => `mutation { leaveChat(chatId: "${id}") { message } }`],
    [
      "a chat to let somebody into",
      "1",
      (id: string) => `mutation { addChatMember(chatId: "${id}", userId: "2") { id } }`,
    ],
  ])("%s", async (_what, hidden, query) => {
    const before = await everything();
    const answers = [await service.ask(query(hidden), { as: "bob" }), await service.ask(query(missing), { as: "bob" })];
    // The column of an error depends on the length of the id.
    const [one, other] = answers.map(({ data, errors }) => ({
      data,
      errors: errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
    }));
    expect(one?.errors?.[0]?.extensions).toEqual({ code: "NOT_FOUND" });
    expect(one).toEqual(other);
    expect(await everything()).toEqual(before);
  });
});
