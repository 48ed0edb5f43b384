import { useService } from "../support/service.ts";

/* One trigger applies the rules of texts to every table, for the API and SQL alike. No text makes PostgreSQL work for seconds. */
const service = useService();
const sql = <Row extends Record<string, unknown>>(query: string, values?: unknown[]) =>
  service.database.query<Row>(query, values);

/** The faults that PostgreSQL reports for a statement. */
async function faultsOf(
  query: string,
  values: unknown[],
): Promise<{ column: string; code: string; message: string }[]> {
  const error = await sql(query, values).then(
    () => ({ detail: "[]" }),
    (refusal) => refusal,
  );
  return JSON.parse(error.detail);
}

/** Without the surrogates, and the planes that have no characters or private ones only. */
const codePoints =
  "(select c from generate_series(1, 921599) as c where c not between 55296 and 57343 and c not between 262144 and 917503) as codes";

const marks = (count: number) => `a${"\u0316\u0300".repeat(count / 2)}`;
const marksMessage = "Text cannot contain more than 30 combining marks in a row.";

/** A statement for each text column: `$1` is the text. */
const writes = {
  "users.name": "insert into app_public.users (name) values ($1)",
  "users.avatar": "update app_public.users set avatar = 'https://example.com/' || $1 where id = 1",
  "users.bio": "update app_public.users set bio = $1 where id = 1",
  "accounts.email": "update app_private.accounts set email = $1 || '@example.com' where user_id = 1",
  "posts.title": "insert into app_public.posts (author_id, title, content) values (1, $1, 'x')",
  "posts.content": "insert into app_public.posts (author_id, title, content) values (1, 'x', $1)",
  "posts.excerpt": "insert into app_public.posts (author_id, title, content, excerpt) values (1, 'x', 'x', $1)",
  "tags.name": "insert into app_public.tags (name) values ($1)",
  "comments.text": `with post as (insert into app_public.posts (author_id, title, content) values (1, 'x', 'x') returning id)
    insert into app_public.comments (post_id, author_id, text) select id, 1, $1 from post`,
  "chats.title": "insert into app_public.chats (title) values ($1)",
  "bans.reason": `with eve as (insert into app_public.users (name) values ('Eve') returning id)
    insert into app_public.bans (user_id, reason) select id, $1 from eve`,
  "report_reasons.reason": `with post as (insert into app_public.posts (author_id, title, content) values (1, 'x', 'x') returning id),
    report as (insert into app_public.reports (post_id) select id from post returning id)
    insert into app_public.report_reasons (report_id, reporter_id, reason) select id, 1, $1 from report`,
  "reports.note": `with post as (insert into app_public.posts (author_id, title, content) values (1, 'x', 'x') returning id)
    insert into app_public.reports (post_id, note) select id, $1 from post`,
  "messages.text": `with chat as (insert into app_public.chats default values returning id)
    insert into app_public.messages (chat_id, sender_id, text) select id, 1, $1 from chat`,
};

describe("combining marks", () => {
  const reordered = `
    select chr(c) as character
      from ${codePoints}, lateral left(normalize(chr(c), NFD), 1) as first
     where (normalize(first || U&'\\0334', NFD) <> first || U&'\\0334' or normalize(U&'\\0301' || first, NFD) <> U&'\\0301' || first)`;

  test("include every character that PostgreSQL reorders, in SQL and in the service", async () => {
    const characters = (await sql<{ character: string }>(reordered)).map(({ character }) => character);
    // PostgreSQL 14 knows 875, 18 more than 900.
    expect(characters.length).toBeGreaterThan(850);
    expect(characters.filter((character) => !/^\p{M}$/u.test(character))).toEqual([]);
    const missed = await sql(
      "select c from unnest($1::text[]) as c where conventions.bounded_text(repeat(c, 31), 31)",
      [characters],
    );
    expect(missed).toEqual([]);
  });

  test("and nothing else that a check looks for is in a plain text", async () => {
    const found = await sql(`
      select c from ${codePoints}, chr(c) as character
       where conventions.is_plain(character)
         and (normalize(character, NFC) <> character or normalize('a' || character, NFC) <> 'a' || character
           or conventions.text_error(character, false) is not null or c > 127 and character ~ '\\s')`);
    expect(found).toEqual([]);
  });

  test.each(Object.entries(writes))("%s: 30 in a row are stored, 31 are refused", async (field, write) => {
    const column = field.split(".")[1];
    expect(await faultsOf(write, [marks(30)])).toEqual([]);
    const refused = expect.arrayContaining([{ column, code: "MARKS", message: marksMessage }]);
    expect(await faultsOf(write, [`${marks(30)}\u0301`])).toEqual(refused);
    expect(await faultsOf(write, [marks(32_000)])).toEqual(refused);
  });

  test("are refused by the API, which names the field", async () => {
    const { errors } = await service.ask(
      `mutation Create($input: CreatePostInput!) { createPost(input: $input) { id } }`,
      { variables: { input: { title: marks(100), content: marks(32_000) } }, as: "ada" },
    );
    expect(errors?.[0]?.extensions).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [
        { path: ["input", "content"], code: "MARKS", message: marksMessage },
        { path: ["input", "title"], code: "MARKS", message: marksMessage },
      ],
    });
  });

  test("never reach a function that forgets to check them", async () => {
    const { errors } = await service.ask(
      `mutation SignIn($password: String!) { signIn(email: "ada@example.com", password: $password) { accessToken } }`,
      { variables: { password: marks(200_000) } },
    );
    expect(errors?.[0]?.extensions.code).toBe("UNAUTHORIZED");
  });
});

describe("stored texts", () => {
  test.each(Object.entries(writes))("%s: in normal form C", async (field, write) => {
    const [table, column] = field.split(".");
    await sql(write, ["cafe\u0301"]);
    const schema = table === "accounts" ? "app_private" : "app_public";
    const stored = await sql<{ text: string }>(
      `select ${column} as text from ${schema}.${table} where ${column} ~ '(^|/)cafe?\u0301?\u00e9?(@|$)'`,
    );
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.filter(({ text }) => !/(^|\/)caf\u00e9/.test(text))).toEqual([]);
  });

  test("an email is trimmed and in normal form C", async () => {
    await sql("update app_private.accounts set email = E' zoe\\u0308@example.com\\u00a0\\n' where user_id = 2");
    expect(await sql("select email from app_private.accounts where user_id = 2")).toEqual([
      { email: "zo\u00eb@example.com" },
    ]);
  });

  test.each([
    ["users.name", "A line"],
    ["posts.title", "A line"],
    ["chats.title", "A line"],
    ["messages.text", "\u3000 A line\n"],
    ["comments.text", "\u3000 A line\n"],
    ["posts.content", "\u3000 A line\n"],
  ] as const)("%s: %j", async (field, expected) => {
    const [table, column] = field.split(".");
    await sql(writes[field], ["\u3000 A line\n"]);
    const [row] = await sql(`select ${column} as text from app_public.${table} order by id desc limit 1`);
    expect(row?.text).toBe(expected);
  });

  test.each(["posts.content", "posts.title", "chats.title", "comments.text", "messages.text", "users.name"] as const)(
    "%s: never blank",
    async (field) => {
      expect(await faultsOf(writes[field], [" \u3000\n"])).toEqual([
        expect.objectContaining({ column: field.split(".")[1], code: "BLANK" }),
      ]);
    },
  );

  test("a decomposed text is as long as its normal form", async () => {
    const write = writes["chats.title"];
    expect(await faultsOf(write, ["\u0041\u030a\u0301".repeat(100)])).toEqual([]);
    expect(await faultsOf(write, ["\u0041\u030a\u0301".repeat(101)])).toMatchObject([{ code: "TOO_LONG" }]);
  });
});

describe("invisible text", () => {
  test.each(["users.name", "posts.title", "chats.title", "tags.name", "comments.text", "messages.text"] as const)(
    "%s: only zero-width and format characters are blank",
    async (field) => {
      const column = field.split(".")[1];
      for (const text of ["\u200b", "\u2060 \u00ad", "\u3164\ufe0f", "\ufeff\u{e0020}"]) {
        expect(await faultsOf(writes[field], [text])).toEqual([
          { column, code: "BLANK", message: "Text needs a visible character." },
        ]);
      }
      // An emoji of several, and a word that needs a non-joiner.
      expect(await faultsOf(writes[field], ["👩‍❤️‍👩"])).toEqual([]);
      expect(await faultsOf(writes[field], ["می\u200cخواهم"])).toEqual([]);
    },
  );

  test.each(["users.name", "posts.title", "chats.title", "tags.name"] as const)(
    "%s: a line has no control characters",
    async (field) => {
      for (const text of ["a\nb", "a\u0007", "a\u007fb", "\u009b31m", "a\u2028b"]) {
        expect(await faultsOf(writes[field], [text])).toEqual([
          {
            column: field.split(".")[1],
            code: "CHARACTERS",
            message: "A line cannot contain a line break or another control character.",
          },
        ]);
      }
    },
  );

  test("the API names the field", async () => {
    const { errors } = await service.ask(
      `mutation { createUser(name: "\u200b", email: "someone@example.com", password: "a good password") { id } }`,
    );
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["name"], code: "BLANK" }]);
  });
});

describe("an email", () => {
  const write = "update app_private.accounts set email = $1 where user_id = 1";

  test.each([
    "a@b",
    "o'hara+news@mail.example.com",
    "a-@xn--bcher-kva.example",
    "{x}_y.z!#$%&*/=?^`|~@1.2-3.example",
    "用户@例子.广告",
  ])("%s is taken", async (email) => {
    expect(await faultsOf(write, [email])).toEqual([]);
  });

  test.each([
    "<a@b.c>",
    "a;b@c.d",
    "a,b@c.d",
    "a:b@c.d",
    "a\\b@c.d",
    "(a)b@c.d",
    '"a"@b.c',
    "a@[127.0.0.1]",
    ".a@b.c",
    "a..b@c.d",
    "a.@b.c",
    "a@.b",
    "a@b..c",
    "a@b.",
    "a@-b.c",
    "a@b-.c",
    "a@b.c-",
    "a@b_c.d",
    "a@b/c",
    "a b@c.d",
    "a\u200b@b.c",
    "a@b\u00ad.c",
    "a@b@c.d",
  ])("%j is refused", async (email) => {
    expect(await faultsOf(write, [email])).toMatchObject([
      { column: "email", code: "FORMAT", message: "This does not look like an email." },
    ]);
  });
});

describe("a new table with normalize_text()", () => {
  test("follows the same rules", async () => {
    await sql(`
      create table app_public.notes (
        id bigint generated always as identity primary key, heading text, body text, tags text[], extra jsonb, at timestamptz default now(),
        constraint notes_body_length_check check (char_length(body) <= 10));
      comment on constraint notes_body_length_check on app_public.notes is 'A note has at most 10 characters.';
      select conventions.validate('app_public.notes', '{heading}')`);
    const write = `insert into app_public.notes (heading, body, extra) values ($1, $2, '{"e\u0301": " e\u0301"}')`;
    await sql(write, [" e\u0301 ", " e\u0301 "]);
    expect(await sql("select heading, body, extra from app_public.notes")).toEqual([
      { heading: "\u00e9", body: " \u00e9 ", extra: { "e\u0301": " e\u0301" } },
    ]);
    expect(await faultsOf(write, [marks(32), "x".repeat(11)])).toEqual([
      { column: "heading", code: "MARKS", message: marksMessage },
      { column: "body", code: "TOO_LONG", message: "A note has at most 10 characters.", params: { max: 10 } },
    ]);
  });

  test("names a column that does not exist", async () => {
    await expect(sql("select conventions.validate('app_public.tags', '{nmae}')")).rejects.toThrow(
      "app_public.tags has no column nmae",
    );
  });
});

test("the number of tags is checked before the tags", async () => {
  const [row] = await sql("select app_hidden.tag_errors(array_fill(''::text, array[40000])) as faults");
  expect(row?.faults).toEqual([
    { column: "tags", code: "TOO_LONG", message: "A post has at most 15 tags.", params: { max: 15 } },
  ]);
});

test.each([
  ["createPost", (key: string) => `createPost(input: { title: "T", content: "C" }, idempotencyKey: ${key}) { id }`],
  ["createChat", (key: string) => `createChat(memberIds: [2], idempotencyKey: ${key}) { id }`],
])("an idempotency key that cannot be stored is refused, since others look like it: %s", async (_, call) => {
  for (const key of ["\\ud800", "a\\udc01", "\\u0000", "\\ufdd0", "a".concat("\\u0301".repeat(31))]) {
    const variables = { key: JSON.parse(`"${key}"`) };
    const { errors } = await service.ask(`mutation ($key: String) { ${call("$key")} }`, { as: "ada", variables });
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([
      { path: ["idempotencyKey"], code: key.startsWith("a\\u03") ? "MARKS" : "CHARACTERS" },
    ]);
  }
});
