import { useService } from "../support/service.ts";

/* The shape of errors (specification 7), and the details that only the log has. */
const service = useService();

beforeAll(() =>
  service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values
      (1, 'One', 'Text.', 'PUBLISHED'), (2, 'Two', 'Text.', 'PUBLISHED');
    -- The same signature and rights as the real function, but an error for one user.
    create or replace function app_public.users_following(users app_public.users) returns app_public.follow_summary
      language plpgsql stable as $$ begin
        if users.id = 2 then raise exception 'secret of %', users using errcode = 'XX777', detail = 'secret detail', hint = 'secret hint'; end if;
        return row(0);
      end $$`),
);
beforeEach(() => {
  service.logged.length = 0;
});

const unforeseen = () => service.logged.filter(({ msg }) => msg === "unforeseen error");

describe("the path of an error", () => {
  test("has aliases and list positions, and the rest of the response is complete", async () => {
    const { data, errors } = await service.ask(`{ people: users(limit: 2) { name mail: email } }`, { as: "bob" });
    expect(data).toEqual({
      people: [
        { name: "Ada", mail: null },
        { name: "Bob", mail: "bob@example.com" },
      ],
    });
    expect(errors?.map(({ path }) => path)).toEqual([["people", 0, "mail"]]);
  });

  test("covers every level", async () => {
    const { errors } = await service.ask(
      `{ all: posts(limit: 2) { by: author { wrote: posts { author { mail: email } } } } }`,
    );
    expect(errors?.map(({ path }) => path)).toEqual([
      ["all", 0, "by", "wrote", 0, "author", "mail"],
      ["all", 1, "by", "wrote", 0, "author", "mail"],
    ]);
  });

  test("names the failed fields only", async () => {
    const { data, errors } = await service.ask(
      `{ there: user(id: "1") { name } gone: user(id: "99") { name } wrong: posts(limit: -1) { id } }`,
    );
    expect(data).toEqual({ there: { name: "Ada" }, gone: null, wrong: null });
    expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
      [["gone"], "NOT_FOUND"],
      [["wrong"], "VALIDATION_ERROR"],
    ]);
  });
});

describe("an unforeseen error", () => {
  const query = `query Broken($id: ID!) { fine: user(id: "1") { name } broken: user(id: $id) { following { count } } }`;

  test("gives the client an errorId and no text of PostgreSQL", async () => {
    const { data, errors } = await service.ask(query, { variables: { id: "2" } });
    expect(data).toEqual({ fine: { name: "Ada" }, broken: null });
    expect(errors).toEqual([
      {
        message: "Something went wrong on our side.",
        path: ["broken"],
        locations: expect.anything(),
        extensions: { code: "INTERNAL_SERVER_ERROR", errorId: expect.stringMatching(/^[\da-f-]{36}$/) },
      },
    ]);
  });

  test.each([
    ["nobody", "api_anonymous", undefined],
    ["ada", "api_member", "1"],
  ] as const)(
    "is logged with the SQLSTATE, the role and the operation’s name, as %s",
    async (person, role, viewerId) => {
      const { errors } = await service.ask(query, { variables: { id: "2" }, as: person });
      const [line, ...others] = unforeseen();
      expect(others).toEqual([]);
      expect(line).toMatchObject({
        errorId: errors?.[0]?.extensions.errorId,
        sqlState: "XX777",
        role,
        operation: "Broken",
        path: "broken",
      });
      expect(line?.viewerId).toBe(viewerId);
    },
  );

  test("is not logged for a refusal", async () => {
    await service.ask(`{ post(id: "99") { id } users { email } posts(limit: 1000) { id } }`);
    await service.ask(`mutation { createPost(input: {title: "", content: ""}) { id } }`, { as: "ada" });
    await service.ask("{ nothing }");
    expect(unforeseen()).toEqual([]);
  });
});

test.each([
  ["{ posts(limit: s3cret) { id } }", "`limit`: Int cannot represent non-integer value."],
  [`{ posts(limit: "s3cret") { id } }`, "`limit`: Int cannot represent non-integer value."],
  [`{ posts(limit: 1, status: s3cret) { id } }`, '`status`: This value does not exist in "PostStatus" enum.'],
  [`{ posts(limit: 1, status: "s3cret") { id } }`, '`status`: Enum "PostStatus" cannot represent non-enum value.'],
  [`{ posts(status: s3cret, limit: 1) { id } }`, '`status`: This value does not exist in "PostStatus" enum.'],
  [
    `mutation { signIn(email: null, password: "s3cret") { userId } }`,
    '`email`: Expected value of type "String!", found null.',
  ],
  [`{ post(id: {s3cret: 1}) { id } }`, "`id`: ID cannot represent a non-string and non-integer value."],
  [
    `mutation { signIn(email: "a", password: s3cret) { userId } }`,
    "`password`: String cannot represent a non string value.",
  ],
  [`mutation { createPost(input: "s3cret") { id } }`, '`input`: Expected value of type "CreatePostInput!".'],
  [
    `mutation { updatePost(id: 1, input: { publishAt: "s3cret" }) { id } }`,
    "`publishAt`: A Timestamp is a date, such as 2026-11-21, or a time with its zone, such as 2026-11-21T09:30:00Z.",
  ],
  [`{ post(id: "1" "s3cret") { id } }`, "Syntax Error: Expected Name, found String."],
  [`{ post(id: "1" """s3cret""") { id } }`, "Syntax Error: Expected Name, found BlockString."],
  [`query "s3cret" { me { id } }`, `Syntax Error: Expected "{", found String.`],
])("an error in a document quotes no value: %s", async (query, message) => {
  const { errors } = await service.ask(query);
  expect(errors?.[0]?.message).toBe(message);
  expect(JSON.stringify(errors)).not.toContain("s3cret");
});

test("an error of a variable names the field and the form, and quotes no value", async () => {
  const query = "mutation ($input: UpdatePostInput!) { updatePost(id: 1, input: $input) { id } }";
  const { errors } = await service.ask(query, { variables: { input: { publishAt: "s3cret" } }, as: "ada" });
  expect(errors?.[0]?.extensions.validationErrors).toEqual([
    {
      path: ["input", "publishAt"],
      field: "publishAt",
      code: "FORMAT",
      message:
        "`publishAt` must be a Timestamp. A Timestamp is a date, such as 2026-11-21, or a time with its zone, such as 2026-11-21T09:30:00Z.",
    },
  ]);
});

test("reports all faults of an input at once, each with its path", async () => {
  const input = { title: "", content: "a\0b", tags: Array.from({ length: 16 }, (_, i) => `tag ${i}`) };
  const { errors } = await service.ask(
    `mutation Create($input: CreatePostInput!) { created: createPost(input: $input) { id } }`,
    { variables: { input }, as: "ada" },
  );
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.path).toEqual(["created"]);
  const faults = errors?.[0]?.extensions.validationErrors as { path: string[]; code: string }[];
  expect(faults.map(({ path, code }) => [path.join("."), code]).sort()).toEqual([
    ["input.content", "CHARACTERS"],
    ["input.tags", "TOO_LONG"],
    ["input.title", "TOO_SHORT"],
  ]);
});
