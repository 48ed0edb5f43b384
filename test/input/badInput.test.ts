import { useService } from "../support/service.ts";

/* Each invalid value gets an error with a code and its path. Each unusual one is stored and read back unchanged. */
const service = useService();
const create = `mutation Create($input: CreatePostInput!) { createPost(input: $input) { id title content tags { name } } }`;

const createPost = (input: Record<string, unknown>) => service.ask(create, { variables: { input }, as: "ada" });
const countPosts = async () => (await service.database.query("select count(*)::int from app_public.posts"))[0]?.count;

describe("refuses, and stores nothing", () => {
  const good = { title: "A title", content: "Content." };
  test.each<[string, Record<string, unknown>, unknown[]]>([
    ["an empty title", { ...good, title: "" }, [["input", "title"], "TOO_SHORT"]],
    ["a title of spaces", { ...good, title: "   " }, [["input", "title"], "BLANK"]],
    ["a title of 201 characters", { ...good, title: "x".repeat(201) }, [["input", "title"], "TOO_LONG"]],
    ["content of white space", { ...good, content: " \n\u3000" }, [["input", "content"], "BLANK"]],
    ["content of 100,001 characters", { ...good, content: "x".repeat(100_001) }, [["input", "content"], "TOO_LONG"]],
    ["NUL in the title", { ...good, title: "a\0b" }, [["input", "title"], "CHARACTERS"]],
    ["a line break in the title", { ...good, title: "a\nb" }, [["input", "title"], "CHARACTERS"]],
    ["an unpaired surrogate", { ...good, content: "a\uD83D" }, [["input", "content"], "CHARACTERS"]],
    [
      "a hundred tags",
      { ...good, tags: Array.from({ length: 100 }, (_, i) => `t${i}`) },
      [["input", "tags"], "TOO_LONG"],
    ],
    [
      "fifteen different tags, given as sixteen",
      { ...good, tags: ["T0", ...Array.from({ length: 15 }, (_, i) => `t${i}`)] },
      [["input", "tags"], "TOO_LONG"],
    ],
    ["an empty tag", { ...good, tags: ["fine", "  "] }, [["input", "tags", 1], "TOO_SHORT"]],
    ["a tag of 51 characters", { ...good, tags: ["x".repeat(51)] }, [["input", "tags", 0], "TOO_LONG"]],
    ["a null tag", { ...good, tags: [null] }, [["input", "tags", 0], "REQUIRED"]],
    ["an excerpt of 201 characters", { ...good, excerpt: "x".repeat(201) }, [["input", "excerpt"], "TOO_LONG"]],
    ["a missing title", { content: "Content." }, [["input", "title"], "REQUIRED"]],
    ["a title that is a number", { ...good, title: 5 }, [["input", "title"], "TYPE"]],
    ["a title that is an object", { ...good, title: { evil: true } }, [["input", "title"], "TYPE"]],
    ["a field that does not exist", { ...good, authorId: "2" }, [["input", "authorId"], "UNKNOWN_FIELD"]],
    ["a status that does not exist", { ...good, status: "ARCHIVED" }, [["input", "status"], "NOT_IN_LIST"]],
  ])("%s", async (_what, input, [path, code]) => {
    const before = await countPosts();
    const { errors } = await createPost(input);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe("VALIDATION_ERROR");
    expect(errors?.[0]?.extensions.validationErrors).toEqual([expect.objectContaining({ path, code })]);
    expect(await countPosts()).toBe(before);
  });

  test("three faults at once with three validationErrors", async () => {
    const tags = Array.from({ length: 16 }, (_, i) => `t${i}`);
    const { errors } = await createPost({ title: "", content: "a\0b", tags });
    const faults = errors?.[0]?.extensions.validationErrors.map(({ path }: { path: string[] }) => path.join("."));
    expect(faults.sort()).toEqual(["input.content", "input.tags", "input.title"]);
  });

  test("without repeating the input or a message of the database", async () => {
    const { errors } = await createPost({ title: "s3cr3t".repeat(40), content: "Content." });
    expect(JSON.stringify(errors)).not.toMatch(/s3cr3t|constraint|relation|violates|app_public/);
  });
});

describe("stores and reads back unchanged", () => {
  test.each([
    ["emoji", "👩‍👩‍👧‍👦 and 🏳️‍🌈"],
    ["right-to-left text", "مرحبا بالعالم — שלום"],
    ["SQL", `'; drop table app_public.posts; -- $1 $$ \\'`],
    ["template syntax", "{{7*7}} ${process.exit()} <%= 1 %> #{x} %s %d"],
    ["HTML", `<script>alert("x")</script>`],
    ["escape sequences as text", "\\u0000 \\n \\x00 \\uD83D"],
    ["characters of every length in UTF-8", "aé漢𝄞"],
  ])("%s", async (_what, text) => {
    const { data, errors } = await createPost({ title: text, content: text, tags: [text.slice(0, 40)] });
    expect(errors).toBeUndefined();
    expect(data.createPost).toMatchObject({ title: text.normalize("NFC"), content: text.normalize("NFC") });
    const again = await service.ask(`query Again($id: ID!) { post(id: $id) { title content } }`, {
      variables: { id: data.createPost.id },
      as: "ada",
    });
    expect(again.data.post).toEqual({ title: text.normalize("NFC"), content: text.normalize("NFC") });
  });

  test("control characters of a text of many lines, except NUL", async () => {
    const content = "a\u0001b\u001fc\u007f";
    expect((await createPost({ title: "A title", content })).data.createPost).toMatchObject({ content });
  });

  test("text, except for normal form C", async () => {
    const { data } = await createPost({ title: "Cafe\u0301", content: "Content." });
    expect(data.createPost.title).toBe("Caf\u00e9");
  });

  test("tags, except that they are trimmed, in lower case and unique", async () => {
    const { data } = await createPost({
      title: "Tagged",
      content: "Content.",
      tags: [" News ", "news", "NEWS", "Æther"],
    });
    expect(data.createPost.tags).toEqual([{ name: "news" }, { name: "æther" }]);
  });
});

describe("limits, offsets and ids", () => {
  beforeAll(() => service.database.query(`update app_public.posts set status = 'PUBLISHED'`));

  test.each([
    ["a negative limit", `{ posts(limit: -1) { id } }`, "limit"],
    ["a limit above 100", `{ posts(limit: 101) { id } }`, "limit"],
    ["a negative offset", `{ posts(limit: 1, offset: -1) { id } }`, "offset"],
    ["an offset above 10,000", `{ posts(limit: 1, offset: 10001) { id } }`, "offset"],
  ])("%s is refused, never capped", async (_what, query, field) => {
    const { data, errors } = await service.ask(query);
    expect(data).toEqual({ posts: null });
    expect(errors?.[0]).toMatchObject({
      path: ["posts"],
      extensions: { code: "VALIDATION_ERROR", validationErrors: [{ field, code: "OUT_OF_RANGE" }] },
    });
  });

  test("a bad limit of a nested list is an error of that list, not of its parent", async () => {
    const { data, errors } = await service.ask(`{ user(id: "1") { name posts(limit: 500) { id } } }`);
    expect(data).toEqual({ user: { name: "Ada", posts: null } });
    expect(errors?.[0]?.path).toEqual(["user", "posts"]);
  });

  test("a missing limit is a request error", async () => {
    const { data, errors } = await service.ask(`{ posts { id } }`);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.extensions.code).toBe("GRAPHQL_VALIDATION_FAILED");
  });

  test.each([
    ["2147483648", "Int"],
    ["1.5", "Int"],
    [`"ten"`, "Int"],
  ])("a limit of %s is not an Int", async (limit) => {
    const { errors } = await service.ask(`query Q($limit: Int!) { posts(limit: $limit) { id } }`, {
      variables: { limit: JSON.parse(limit) },
    });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["limit"], field: "limit", code: "TYPE" }],
    });
  });

  test("limit: 0 is an empty list", async () => {
    expect(await service.ask(`{ posts(limit: 0) { id } }`)).toEqual({ data: { posts: [] } });
  });

  test.each(["abc", "", "0", "-1", "007", "1e3", "9223372036854775808", "１", "1 or 1=1", "\0", "99999"])(
    "the id %j gives NOT_FOUND",
    async (id) => {
      const { data, errors } = await service.ask(`query Q($id: ID!) { user(id: $id) { id } post(id: $id) { id } }`, {
        variables: { id },
      });
      expect(data).toEqual({ user: null, post: null });
      const message = "There is no such record, or it is not yours to see.";
      expect(errors?.map((error) => [error.message, error.extensions])).toEqual([
        [message, { code: "NOT_FOUND" }],
        [message, { code: "NOT_FOUND" }],
      ]);
    },
  );
});

test("following oneself is refused with the argument's own name", async () => {
  const { data, errors } = await service.ask("mutation { followUser(userId: 1) { user { id } } }", { as: "ada" });
  expect(data).toEqual({ followUser: null });
  expect(errors?.[0]?.extensions["validationErrors"]).toEqual([
    { path: ["userId"], field: "userId", code: "ONESELF", message: "You cannot follow yourself." },
  ]);
});

describe("a timestamp", () => {
  const update = `mutation Update($id: ID!, $at: Timestamp) { updatePost(id: $id, input: { publishAt: $at }) { publishAt } }`;
  const create = `mutation { createPost(input: { title: "Later", content: "Content." }) { id } }`;

  test.each([
    ["5", "500000"],
    ["123456", "123456"],
    ["123456499", "123456"],
    ["123456789", "123457"],
    ["999999999", undefined],
    [`1234567${"0".repeat(200)}`, "123457"],
  ])("of the fraction .%s is rounded to microseconds", async (digits, rounded) => {
    const at = `2100-01-01T10:00:00.${digits}Z`;
    const { data } = await service.ask(create, { as: "ada" });
    const { id } = data.createPost;
    const publishAt = rounded ? `2100-01-01T10:00:00.${rounded}+00:00` : "2100-01-01T10:00:01.0+00:00";
    const microseconds = (text: string) => text.replace(/(\.\d+?)0*\+/, "$1+");
    const variable = await service.ask(update, { variables: { id, at }, as: "ada" });
    const literal = await service.ask(
      `mutation { updatePost(id: ${id}, input: { publishAt: "${at}" }) { publishAt } }`,
      {
        as: "ada",
      },
    );
    for (const answer of [variable, literal]) {
      expect(microseconds(answer.data?.updatePost.publishAt)).toBe(microseconds(publishAt));
    }
  });

  test.each([
    ["2026-02-30", "FORMAT"],
    ["2026-11-21T09:30:00.Z", "FORMAT"],
    ["tomorrow", "FORMAT"],
    ["", "FORMAT"],
    [5, "TYPE"],
    [{}, "TYPE"],
  ])("is not %j: %s", async (at, code) => {
    const { errors } = await service.ask(update, { variables: { id: "1", at }, as: "ada" });
    expect(errors?.[0]?.extensions.validationErrors).toEqual([
      expect.objectContaining({ path: ["input", "publishAt"], code }),
    ]);
  });
});
