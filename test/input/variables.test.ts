import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";

/* Variables with unusual names, and variables that are missing, null or of another JSON type. */
const service = useService();
beforeAll(async () => {
  await service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
    insert into app_public.messages (chat_id, sender_id, text) select 1, 1, 'Message ' || n from generate_series(1, 3) n`);
});

describe.each(["toString", "constructor", "__proto__", "hasOwnProperty"])("a variable named %s", (name) => {
  test("is missing when it is not given", async () => {
    const create = `mutation ($${name}: String) { createChat(memberIds: [2], title: $${name}) { title } }`;
    expect(await service.ask(create, { as: "ada" })).toEqual({ data: { createChat: { title: null } } });
  });

  test("has the value that is given", async () => {
    const query = `query ($${name}: ID!) { user(id: $${name}) { name } }`;
    const variables = JSON.parse(`{"${name}": "2"}`);
    expect(await service.ask(query, { variables })).toEqual({ data: { user: { name: "Bob" } } });
    expect((await service.ask(query)).errors).toMatchObject([{ extensions: { code: "VALIDATION_ERROR" } }]);
  });
});

test("variables whose names differ by underscores at the end are told apart", async () => {
  for (const name of ["constructor", "__proto__"]) {
    const query = `query ($${name}: ID!, $${name}_: ID!, $${name}__: ID!) { a: user(id: $${name}) { name } b: user(id: $${name}_) { name } c: user(id: $${name}__) { name } }`;
    const variables = JSON.parse(`{"${name}": "1", "${name}_": "2", "${name}__": "3"}`);
    expect((await service.ask(query, { variables })).data).toEqual({
      a: { name: "Ada" },
      b: { name: "Bob" },
      c: { name: "Admin" },
    });
    const { errors } = await service.ask(query.replace(`$${name}__: ID!`, `$${name}__: ID`), { variables });
    expect(errors?.[0]?.message).toContain(`"$${name}__"`);
  }
});

describe("null for a variable that has a default, where a value is required,", () => {
  const ways = describe.each([
    ["compiled", ""],
    // An operation of two mutations, and a query with an email, are the engine's.
    ["in the engine", "engine"],
  ]);
  const refusal = (...path: (string | number)[]) => ({
    code: "VALIDATION_ERROR",
    validationErrors: [{ path, field: path.findLast((part) => typeof part === "string"), code: "REQUIRED" }],
  });

  beforeAll(async () => {
    await service.database.query(`
      create function app_public.double_of(number int) returns int language sql stable return number * 2;
      create function app_public.note_number(number int, text text default 'x') returns text language sql volatile
        as 'select concat(number, text)';
      grant execute on all functions in schema app_public to api_anonymous, api_member`);
    if (!(await service.app.rebuild())) throw new Error(JSON.stringify(service.logged.at(-1)));
  });

  ways("%s", (_way, engine) => {
    const more = engine ? "me { email }" : "";
    test.each([
      ["an argument", ["limit"], `query ($l: Int = 5) { posts(limit: $l) { id } ${more} }`],
      [
        "an argument in a fragment",
        ["limit"],
        `query ($l: Int = 5) { ...F ${more} } fragment F on Query { posts(limit: $l) { id } }`,
      ],
      ["a function's argument", ["number"], `query ($l: Int = 5) { doubleOf(number: $l) ${more} }`],
      [
        "a mutation's argument",
        ["number"],
        `mutation ($l: Int = 5) { noteNumber(number: $l) ${engine && "b: noteNumber(number: $l)"} }`,
      ],
      ["a directive", ["if"], `query ($l: Boolean = true) { users @skip(if: $l) { name } ${more} }`],
      [
        "a field of an input",
        ["input", "title"],
        `mutation ($l: String = "t") { createPost(input: { title: $l, content: "c" }) { id } ${engine && "b: deletePost(id: 1) { success }"} }`,
      ],
      [
        "an item of a list",
        ["memberIds", 0],
        `mutation ($l: ID = 2) { createChat(memberIds: [$l]) { id } ${engine && "b: deletePost(id: 1) { success }"} }`,
      ],
    ])("is refused for %s", async (_place, path, query) => {
      const { errors, data } = await service.ask(query, { variables: { l: null }, as: "ada" });
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([{ extensions: refusal(...path) }]);
    });

    test("is refused for the operation that uses it so, and no other", async () => {
      const a = `query A($l: Int = 5) { posts(limit: $l) { id } ${more} }`;
      const b = `query B($l: ID) { posts(limit: 1, authorId: $l) { id } ${more} }`;
      const send = async (operationName: string) => {
        const init = {
          method: "POST",
          headers: { "content-type": "application/json", ...(await service.headersOf("ada")) },
        };
        const body = JSON.stringify({ query: `${a} ${b}`, operationName, variables: { l: null } });
        return (await fetch(service.url, { ...init, body })).json() as Promise<any>;
      };
      expect((await send("A")).errors).toMatchObject([{ extensions: refusal("limit") }]);
      expect((await send("B")).data).toMatchObject({ posts: [] });
    });

    test("is not refused when it is missing, or may be null", async () => {
      const query = `query ($l: Int = 5, $o: Int = 0) { posts(limit: $l, offset: $o) { id } ${more} }`;
      for (const variables of [{}, { o: null }]) {
        expect((await service.ask(query, { variables, as: "ada" })).data).toMatchObject({ posts: [] });
      }
    });
  });
});

async function subscribe(query: string, variables: object): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload: { query, variables } });
  return socket;
}

describe("messageAdded(after:)", () => {
  const since = "subscription ($after: ID) { messageAdded(chatId: 1, after: $after) { id } }";

  test.each([
    ["a JSON number", 1],
    ["a string", "1"],
  ])("accepts %s", async (_, after) => {
    const socket = await subscribe(since, { after });
    for (const id of ["2", "3"]) {
      expect(await socket.messages.next()).toMatchObject({ payload: { data: { messageAdded: { id } } } });
    }
    socket.destroy();
  });

  const lost = { code: "POSITION_LOST" };
  const malformed = { code: "VALIDATION_ERROR", validationErrors: [{ field: "after" }] };
  test.each([
    [99, lost],
    ["99", lost],
    ["abc", malformed],
    ["", malformed],
  ])("refuses %j, which names no message", async (after, extensions) => {
    const socket = await subscribe(since, { after });
    expect(await socket.messages.next()).toMatchObject({ type: "error", payload: [{ extensions }] });
    socket.destroy();
  });
});

test("null is as missing for subscribers that share an answer", async () => {
  const query = `subscription ($format: TimestampFormat = DATE) {
    messageAdded(chatId: 1) { createdAt(format: $format) }
  }`;
  const [absent, none] = [await subscribe(query, {}), await subscribe(query, { format: null })];
  await untilListening(2, service.app);
  await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Now')");
  const createdAt = async (socket: RawSocket) =>
    ((await socket.messages.next()) as any).payload.data.messageAdded.createdAt;
  for (const socket of [absent, none]) expect(await createdAt(socket)).toMatch(/^\d{4}-\d\d-\d\d$/);
  for (const socket of [absent, none]) socket.destroy();
});

test.each([
  ["an argument", "query ($x: Int!) { posts(limit: $x) { id } }", "a", ["limit"]],
  ["an aliased field's argument", "query ($x: Int!) { p: posts(limit: $x) { id } }", "a", ["limit"]],
  [
    "an argument in a fragment",
    "query ($x: Int!) { ...F } fragment F on Query { posts(limit: $x) { id } }",
    "a",
    ["limit"],
  ],
  ["a directive's argument", "query ($x: Boolean!) { me @skip(if: $x) { id } }", "a", ["if"]],
  [
    "an input",
    "mutation ($x: CreatePostInput!) { createPost(input: $x) { id } }",
    { content: "c" },
    ["input", "title"],
  ],
  [
    "a field of an input",
    `mutation ($x: String!) { createPost(input: { title: $x, content: "c" }) { id } }`,
    5,
    ["input", "title"],
  ],
  ["an item of a list", "mutation ($x: ID!) { createChat(memberIds: [2, $x]) { id } }", true, ["memberIds", 1]],
  ["null for a default", "query ($x: Int = 5) { posts(limit: $x) { id } }", null, ["limit"]],
  [
    "a variable that every object has",
    "query ($constructor: Int!) { posts(limit: $constructor) { id } }",
    "a",
    ["limit"],
  ],
])("the path of a validation error leads through the arguments to %s", async (_, query, value, path) => {
  const { errors } = await service.ask(query, { variables: { x: value, constructor: value }, as: "ada" });
  expect(errors?.[0]?.extensions.validationErrors).toEqual([
    expect.objectContaining({ path, field: path.findLast((step) => typeof step === "string") }),
  ]);
});

test("an error of the document has the names of variables as they were sent", async () => {
  const { errors } = await service.ask("query ($constructor: Int) { posts(limit: 1) { id } }");
  expect(errors?.[0]?.message).toBe('Variable "$constructor" is never used.');
});

describe("null for an argument that has a default is the default", () => {
  beforeAll(async () => {
    const create = `mutation { createPost(input: { title: "t", content: "c", status: PUBLISHED }) { id } }`;
    expect((await service.ask(create, { as: "ada" })).errors).toBeUndefined();
  });
  const missing = "{ posts(limit: 2) { createdAt updatedAt publishedAt comments { createdAt } } users { name } }";
  const given = (value: string) => `
    posts(limit: 2, offset: ${value}) {
      createdAt(format: ${value}) updatedAt(format: ${value}) publishedAt(format: ${value})
      comments(limit: ${value}, offset: ${value}) { createdAt(format: ${value}) }
    }
    users(limit: ${value}, offset: ${value}) { name }`;

  test.each([
    ["a literal", `{ ${given("null")} }`],
    ["a literal, in the engine", `{ ${given("null")} me { email } }`],
  ])("%s", async (_way, query) => {
    const { data } = await service.ask(missing, { as: "ada" });
    expect(data.posts[0].createdAt).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await service.ask(query, { as: "ada" })).data).toMatchObject(data);
  });

  test.each(["", "me { email }"])("a variable (%s)", async (more) => {
    const field = (name: string) => `${name}(format: $format)`;
    const query = `query ($format: TimestampFormat) { posts(limit: 2) { ${["createdAt", "updatedAt", "publishedAt"].map(field).join(" ")} } ${more} }`;
    const ask = async (variables: object) =>
      (await service.ask(query, { variables: variables as never, as: "ada" })).data;
    expect(await ask({ format: null })).toEqual(await ask({}));
    expect(await ask({ format: "DATE_TIME" })).not.toEqual(await ask({}));
  });
});
