import { type Person, useService } from "../support/service.ts";

/* Changes of a post that readers do not see yet. */
const service = useService();
const { database } = service;
let id: string;

beforeEach(async () => {
  const { data } = await ask(
    `mutation { createPost(input: { title: "Bread", content: "Flour.", tags: ["food"], status: PUBLISHED }) { id } }`,
  );
  id = data.createPost.id;
});
afterEach(() => database.query("delete from app_public.posts"));

async function ask(query: string, as: Person = "ada"): Promise<{ data: any; code?: string; errors?: any[] }> {
  const { data, errors } = await service.ask(query, { as });
  return { data, ...(errors && { errors, code: errors[0]?.extensions.code as string }) };
}
const fields = "title content excerpt tags version updatedAt";
const save = (input: string, as?: Person, ifVersion?: string) =>
  ask(
    `mutation { saveWorkingCopy(postId: ${id}, input: { ${input} }${ifVersion ? `, ifVersion: "${ifVersion}"` : ""}) { ${fields} } }`,
    as,
  );
const read = async (as?: Person) =>
  (await ask(`{ post(id: ${id}) { title content tags { name } version workingCopy { ${fields} } } }`, as)).data.post;
const publish = (more = "", as?: Person) =>
  ask(
    `mutation { publishWorkingCopy(postId: ${id}${more}) { title content excerpt tags { name } workingCopy { id } } }`,
    as,
  );

test("readers see the post as it was until the working copy is published, and its author sees both", async () => {
  const before = await read();
  expect(before.workingCopy).toBeNull();
  const { data } = await save(`title: "Rye bread", tags: ["Rye", "food"]`);
  expect(data.saveWorkingCopy).toMatchObject({ title: "Rye bread", content: "Flour.", tags: ["rye", "food"] });
  // What is not given stays.
  const { saveWorkingCopy: saved } = (await save(`content: "Rye flour."`)).data;
  expect(saved).toMatchObject({ title: "Rye bread", content: "Rye flour." });
  const { title, content, tags, version } = before;
  for (const as of ["nobody", "bob", "ada"] as const) {
    expect(await read(as)).toMatchObject({ title, content, tags, version });
  }
  for (const as of ["nobody", "bob"] as const) expect((await read(as)).workingCopy).toBeNull();
  for (const as of ["ada", "admin"] as const) expect((await read(as)).workingCopy.title).toBe("Rye bread");
  const found = await ask(
    `{ searchConnection(text: "rye") { totalCount } postsConnection(tag: "rye", first: 5) { totalCount } }`,
  );
  expect(found.data).toEqual({ searchConnection: { totalCount: 0 }, postsConnection: { totalCount: 0 } });
  expect(await database.query("select from app_public.post_revisions")).toEqual([]);
  expect(await database.query("select from app_public.audit_trail where table_name ~ 'working'")).toEqual([]);

  expect((await publish()).data.publishWorkingCopy).toEqual({
    title: "Rye bread",
    content: "Rye flour.",
    excerpt: "Rye flour.",
    tags: [{ name: "food" }, { name: "rye" }],
    workingCopy: null,
  });
  expect(await read("nobody")).toMatchObject({ title: "Rye bread", tags: [{ name: "food" }, { name: "rye" }] });
});

test("null clears what it clears in the post", async () => {
  await ask(`mutation { updatePost(id: ${id}, input: { excerpt: "About bread." }) { id } }`);
  expect((await save("excerpt: null, tags: null")).data.saveWorkingCopy).toMatchObject({ excerpt: null, tags: [] });
  expect((await read()).tags).toEqual([{ name: "food" }]);
  expect((await publish()).data.publishWorkingCopy).toMatchObject({ excerpt: "Flour.", tags: [] });
});

test("a change of the post shows where the working copy changes nothing, and ifVersion finds it", async () => {
  const { version } = await read();
  await save(`content: "Mine."`);
  await ask(`mutation { updatePost(id: ${id}, input: { title: "Theirs" }) { id } }`, "admin");
  expect((await read()).workingCopy).toMatchObject({ title: "Theirs", content: "Mine." });
  expect((await publish(`, ifVersion: "${version}"`)).code).toBe("CONFLICT");
  expect((await read()).workingCopy.content).toBe("Mine.");
  const published = await publish(`, ifVersion: "${(await read()).version}"`);
  expect(published.data.publishWorkingCopy).toMatchObject({ title: "Theirs", content: "Mine." });
});

test("two tabs notice each other", async () => {
  const { data } = await save(`title: "One"`);
  const { version } = data.saveWorkingCopy;
  expect((await save(`title: "Two"`, "ada", version)).data.saveWorkingCopy.title).toBe("Two");
  expect((await save(`title: "Three"`, "ada", version)).code).toBe("CONFLICT");
  expect((await read()).workingCopy.title).toBe("Two");
});

test("discarding forgets it, once and again", async () => {
  await save(`title: "Not this"`);
  for (let i = 0; i < 2; i++) {
    const { data } = await ask(`mutation { discardWorkingCopy(postId: ${id}) { title workingCopy { id } } }`);
    expect(data).toEqual({ discardWorkingCopy: { title: "Bread", workingCopy: null } });
  }
  expect((await publish()).code).toBe("NOT_FOUND");
});

test.each([
  ["a title that is too long", `title: "${"x".repeat(201)}"`, ["input", "title"], "TOO_LONG"],
  ["no content", `content: ""`, ["input", "content"], "TOO_SHORT"],
  ["a status", "status: DRAFT", ["input", "status"], "NOT_IN_WORKING_COPY"],
  ["a time", `publishAt: "2999-01-01T00:00:00Z"`, ["input", "publishAt"], "NOT_IN_WORKING_COPY"],
  ["a tag that is too long", `tags: ["${"x".repeat(51)}"]`, ["input", "tags", 0], "TOO_LONG"],
])("%s is refused, and names the field", async (_, input, path, code) => {
  const { code: refused, errors } = await save(input);
  expect(refused).toBe("VALIDATION_ERROR");
  expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path, code }]);
  expect((await read()).workingCopy).toBeNull();
});

test("nobody else saves, publishes or discards one", async () => {
  await save(`title: "Mine"`);
  expect((await save(`title: "Bob’s"`, "bob")).code).toBe("UNAUTHORIZED");
  expect((await publish("", "bob")).code).toBe("UNAUTHORIZED");
  expect((await ask(`mutation { discardWorkingCopy(postId: ${id}) { id } }`, "bob")).code).toBe("UNAUTHORIZED");
  expect((await read()).workingCopy.title).toBe("Mine");
});
