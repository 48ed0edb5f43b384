import { type Person, useService } from "../support/service.ts";

/* Links that show a post before it is published, to everyone who has one. */
const service = useService({ cacheSeconds: 60 });
const { database } = service;
let id: string;

beforeEach(async () => {
  const { data } = await ask(`mutation { createPost(input: { title: "Bread", content: "Flour." }) { id } }`);
  id = data.createPost.id;
});
afterEach(async () => {
  await database.query("delete from app_public.posts");
  await restoreRights();
});

async function ask(query: string, as: Person = "ada"): Promise<{ data: any; code?: string; errors?: any[] }> {
  const { data, errors } = await service.ask(query, { as });
  return { data, ...(errors && { errors, code: errors[0]?.extensions.code as string }) };
}
const later = (days = 7) => new Date(Date.now() + days * 86_400_000).toISOString();
const create = async (as: Person = "ada", expiresAt = later()) =>
  ask(`mutation { createPreview(postId: ${id}, expiresAt: "${expiresAt}") }`, as);
const show = async (token: string, as: Person = "nobody") =>
  (await ask(`{ preview(token: "${token}") { title content } }`, as)).data?.preview;
const hasEnded = async (token: string) =>
  (await ask(`{ preview(token: "${token}") { title } }`, "nobody")).code === "NOT_FOUND";

test("everyone who has the token reads the draft as it is, with its unpublished changes, and nothing else of it", async () => {
  const token = (await create()).data.createPreview;
  expect(token).toMatch(/^[\w-]{43}$/);
  for (const as of ["nobody", "bob"] as const) {
    expect(await show(token, as)).toEqual({ title: "Bread", content: "Flour." });
    expect((await ask(`{ post(id: ${id}) { title } }`, as)).data).toEqual({ post: null });
  }
  await ask(`mutation { saveWorkingCopy(postId: ${id}, input: { title: "Rye bread" }) { id } }`);
  expect(await show(token)).toEqual({ title: "Rye bread", content: "Flour." });
  expect(await hasEnded(`${token}x`)).toBe(true);
  expect(await database.query("select from app_private.post_reads")).toEqual([]);
});

test("the author and editors list and withdraw links, which end then", async () => {
  const token = (await create()).data.createPreview;
  const list = async (as: Person) =>
    (await ask(`{ post(id: ${id}) { previews { id title createdAt expiresAt } } }`, as)).data.post?.previews;
  const [preview] = await list("ada");
  expect(preview).toMatchObject({ title: "Bread" });
  expect(await list("admin")).toHaveLength(1);
  await ask(`mutation { updatePost(id: ${id}, input: { status: PUBLISHED }) { id } }`);
  for (const as of ["nobody", "bob"] as const) expect(await list(as)).toEqual([]);
  expect((await ask(`mutation { withdrawPreview(id: "${preview.id}") { success } }`, "bob")).code).toBe("NOT_FOUND");
  expect(await hasEnded(token)).toBe(false);
  expect((await ask(`mutation { withdrawPreview(id: "${preview.id}") { success } }`)).data.withdrawPreview).toEqual({
    success: true,
  });
  expect(await hasEnded(token)).toBe(true);
});

test("a link ends with its time and with its post, and is not stored", async () => {
  const token = (await create()).data.createPreview;
  expect(JSON.stringify(await database.query("select * from app_public.previews"))).not.toContain(token);
  await database.query(
    "update app_public.previews set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'",
  );
  expect(await hasEnded(token)).toBe(true);
});

const shown = async (as: Person = "ada") =>
  (await ask(`{ post(id: ${id}) { previews { madeBy { name } lastUsedAt } } }`, as)).data.post.previews;
const ban = (userId: number) =>
  database.query("update app_private.accounts set banned_at = now() where user_id = $1", [userId]);
const restoreRights = () =>
  database.query(`
    update app_private.accounts set banned_at = null where user_id < 4;
    update app_public.users set role = 'ADMIN' where id = 3`);
const setRole = (role: string) => database.query("update app_public.users set role = $1 where id = 3", [role]);

test.each<[string, Person, () => Promise<unknown>]>([
  ["the editor who made it is one no more", "admin", () => setRole("USER")],
  ["the editor who made it is banned", "admin", () => ban(3)],
  ["the author, who made it, is banned", "ada", () => ban(1)],
  ["the author is banned, and an editor made it", "admin", () => ban(1)],
])("a link shows nothing while %s", async (_, as, end) => {
  const token = (await create(as)).data.createPreview;
  expect(await shown("admin")).toEqual([{ madeBy: { name: as === "ada" ? "Ada" : "Admin" }, lastUsedAt: null }]);
  expect(await hasEnded(token)).toBe(false);
  await end();
  expect(await hasEnded(token)).toBe(true);
  await restoreRights();
  expect(await hasEnded(token)).toBe(false);
});

test("a link that shows nothing is not listed", async () => {
  await create("admin");
  expect(await shown()).toHaveLength(1);
  await setRole("USER");
  expect(await shown()).toEqual([]);
});

test("an author’s link works in any role, and an erased editor’s is gone", async () => {
  await database.query(
    "insert into app_public.users (id, name, role) overriding system value values (900, 'Zoe', 'ADMIN')",
  );
  const token = (await create()).data.createPreview;
  await create("admin");
  await database.query("update app_public.previews set made_by_id = 900 where made_by_id = 3");
  expect((await shown()).map(({ madeBy }: any) => madeBy.name)).toEqual(["Zoe", "Ada"]);
  await database.query("delete from app_hidden.role_rights where role = 'USER'");
  await database.query("select app_private.erase_user(900)");
  expect((await shown()).map(({ madeBy }: any) => madeBy.name)).toEqual(["Ada"]);
  expect(await hasEnded(token)).toBe(false);
  await database.query("insert into app_hidden.role_rights (role, may) values ('USER', 'PUBLISH')");
});

test("a link whose maker is unknown counts as the author’s", async () => {
  const token = (await create("admin")).data.createPreview;
  await database.query("update app_public.previews set made_by_id = null");
  await ban(3);
  expect(await hasEnded(token)).toBe(false);
  expect(await shown()).toEqual([{ madeBy: null, lastUsedAt: null }]);
  await ban(1);
  expect(await hasEnded(token)).toBe(true);
});

test("who edits the post reads when a link was last used, to the minute; who has the token reads no such thing", async () => {
  const token = (await create()).data.createPreview;
  const note = () => database.query("select app_private.note_previews(array[$1, 'unknown'], array[1, 1])", [token]);
  await note();
  const [{ lastUsedAt }] = await shown();
  expect(Date.parse(lastUsedAt)).not.toBeNaN();
  const written = () => database.query("select ctid from app_public.previews");
  const before = await written();
  await note();
  expect(await written()).toEqual(before);
  expect((await ask(`{ preview(token: "${token}") { madeBy { name } lastUsedAt } }`, "admin")).data).toEqual({
    preview: { madeBy: null, lastUsedAt: null },
  });
});

test.each([
  ["in the past", () => later(-1)],
  ["in two years", () => later(730)],
])("an end %s is refused, and names the field", async (_, time) => {
  const { code, errors } = await create("ada", time());
  expect(code).toBe("VALIDATION_ERROR");
  expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["expiresAt"], code: "OUT_OF_RANGE" }]);
});

test("only who may edit a post makes a link to it", async () => {
  expect((await create("bob")).code).toBe("NOT_FOUND");
  expect((await create("nobody")).code).toBe("UNAUTHORIZED");
});

test("no cache keeps what a link shows, and no log has its token", async () => {
  const token = (await create()).data.createPreview;
  const query = new URLSearchParams({ query: `{ preview(token: "${token}") { title } }` });
  const response = await fetch(`${service.url}?${query}`);
  expect(await response.json()).toEqual({ data: { preview: { title: "Bread" } } });
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(JSON.stringify(service.logged)).not.toContain(token);
});
