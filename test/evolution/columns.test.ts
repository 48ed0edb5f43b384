import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { exportRows } from "../../src/commands/transfer/exportRows.ts";
import { importRows } from "../../src/commands/transfer/importRows.ts";
import { openInput } from "../../src/commands/transfer/readRows.ts";
import { kinds } from "../../src/commands/transfer/tables.ts";
import { readEvents } from "../support/readEvents.ts";
import { useService } from "../support/service.ts";
import { importOptions } from "../transfer/importOptions.ts";

/*
 * A column that a migration adds as migrations/README.md says is part of everything that knows the columns of its table: versions, conflicts,
 * revisions, working copies, subscriptions, exports. Each type of column, in each table that has a version.
 */

interface NewColumn {
  /** Its definition in SQL. */
  definition: string;
  /** Two values, as GraphQL's literals, and as responses have them. */
  literals: [string, string];
  values: [unknown, unknown];
}

const column = (definition: string, literals: [string, string], values?: [unknown, unknown]): NewColumn => ({
  definition,
  literals,
  values: values ?? (literals.map((literal) => JSON.parse(literal)) as [unknown, unknown]),
});
const times: [string, string] = [`"2026-01-02T03:04:05.000006Z"`, `"2026-01-02T03:04:05.000007Z"`];
const columns: Record<string, NewColumn> = {
  subtitle: column("text", [`"First"`, `"Second line"`]),
  words: column("text not null default 'none'", [`"one"`, `"two"`]),
  is_sponsored: column("boolean", ["true", "false"]),
  rating: column("integer", ["1", "2"]),
  price: column("numeric(12, 4)", [`"1.5000"`, `"12345678.9000"`]),
  event_day: column("date", [`"2026-01-02"`, `"2026-01-03"`]),
  happens_at: column(
    "timestamptz",
    times,
    times.map((time) => expect.stringContaining(JSON.parse(time).slice(0, 26))) as never,
  ),
  details: column("jsonb", [`{a: [1, null], b: null}`, `{a: "two"}`], [{ a: [1, null], b: null }, { a: "two" }]),
  mood: column("app_public.mood", ["CALM", "BUSY"], ["CALM", "BUSY"]),
  places: column("text[]", [`["Oslo", "Rome, \\"old\\""]`, "[]"]),
  codes: column("int[]", ["[3, 1]", "[2]"]),
  code: column("app_public.short_code", [`"AB"`, `"CDE"`]),
};
const names = Object.keys(columns);
const [inserted, updated] = [0, 1];
const fieldOf = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const service = useService();
const { database } = service;
let readme = "";
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "content-service-columns-"));
  readme = await readFile(new URL("../../migrations/README.md", import.meta.url), "utf8");
  const [first = "", second = ""] = [...readme.matchAll(/```sql\n([^`]+)```/g)].map(([, sql = ""]) => sql);
  expect(first + second).toMatch(/add column if not exists subtitle.+allow_writing/s);
  const added = names.filter((name) => name !== "subtitle");
  const add = (table: string) =>
    added.map((name) => `alter table ${table} add column ${name} ${columns[name]?.definition}`);
  const describe = added.map((name) => `comment on column app_public.posts.${name} is 'The ${name}.'`);
  await database.query(`
    create type app_public.mood as enum ('CALM', 'BUSY');
    create domain app_public.short_code as text check (char_length(value) <= 3);
    ${first}; ${second};
    ${[...add("app_public.posts"), ...add("app_public.comments"), ...describe].join(";\n")};
    alter table app_public.comments add column subtitle text;
    select conventions.allow_writing('app_public.posts', '{${added}}', 'app_public.create_post_input', 'app_public.update_post_input'),
           conventions.allow_writing('app_public.comments', '{${names}}', 'app_public.create_comment_input')`);
  await service.app.rebuild();
});
afterAll(() => rm(folder, { recursive: true }));

const ask = async (query: string) => {
  const { data, errors } = await service.ask(query, { as: "ada" });
  return { data, code: errors?.[0]?.extensions?.code as string | undefined, errors };
};
const given = (name: string, place: number) => `${fieldOf(name)}: ${columns[name]?.literals[place]}`;
const value = (name: string, place: number) => ({ [fieldOf(name)]: columns[name]?.values[place] });
const full = "version updatedAt(format: DATE_TIME)";

async function createPost(more: string): Promise<{ id: string; version: string; updatedAt: string }> {
  const { data, errors } = await ask(
    `mutation { createPost(input: { title: "T", content: "C", status: PUBLISHED, ${more} }) { id ${full} } }`,
  );
  expect(errors).toBeUndefined();
  return data.createPost;
}

describe.each(names)("posts.%s", (name) => {
  const field = fieldOf(name);
  let post: Awaited<ReturnType<typeof createPost>>;
  const update = (place: number, ifVersion: string) =>
    ask(
      `mutation { updatePost(id: ${post.id}, input: { ${given(name, place)} }, ifVersion: "${ifVersion}") { ${field} ${full} } }`,
    );
  const read = async (fields: string) => (await ask(`{ post(id: ${post.id}) { ${fields} } }`)).data.post;
  beforeEach(async () => {
    post = await createPost(given(name, inserted));
  });

  test("a change gives a version and a time, is refused with an older version, is kept, told, and can be taken back", async () => {
    const stream = await readEvents(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(await service.headersOf("ada")) },
      body: JSON.stringify({ query: `subscription { postUpdated(id: ${post.id}) { ${field} } }` }),
    });
    const { data } = await update(updated, post.version);
    expect(data.updatePost).toMatchObject(value(name, updated));
    expect(data.updatePost.version).not.toBe(post.version);
    expect(data.updatePost.updatedAt > post.updatedAt).toBe(true);
    expect(await update(inserted, post.version)).toMatchObject({ code: "CONFLICT" });
    const event = await stream.events.take(1);
    stream.close();
    expect(JSON.parse(String(event).replace("next ", ""))).toMatchObject({
      data: { postUpdated: value(name, updated) },
    });

    const { revisions } = await read(`revisions { id version ${field} }`);
    expect(revisions).toMatchObject([{ version: post.version, ...value(name, inserted) }]);
    const restored = await ask(`mutation { restoreRevision(id: ${revisions[0].id}) { title ${field} } }`);
    expect(restored.data.restoreRevision).toMatchObject({ title: "T", ...value(name, inserted) });
  });

  test("a working copy shows and publishes it, and shows the post's where it has none", async () => {
    const save = (input: string) =>
      ask(`mutation { saveWorkingCopy(postId: ${post.id}, input: { ${input} }) { title ${field} } }`);
    expect((await save(`title: "Mine"`)).data.saveWorkingCopy).toMatchObject({
      title: "Mine",
      ...value(name, inserted),
    });
    expect((await save(given(name, updated))).data.saveWorkingCopy).toMatchObject({
      title: "Mine",
      ...value(name, updated),
    });
    expect(await read(`title ${field} workingCopy { ${field} }`)).toMatchObject({
      title: "T",
      ...value(name, inserted),
      workingCopy: value(name, updated),
    });
    const { data } = await ask(`mutation { publishWorkingCopy(postId: ${post.id}) { title ${field} } }`);
    expect(data.publishWorkingCopy).toMatchObject({ title: "Mine", ...value(name, updated) });
  });
});

test("a column that may be null is cleared, in a working copy too, and a revision brings null back", async () => {
  const post = await createPost(`title: "A", subtitle: "B"`.replace(`title: "A", `, ""));
  await ask(`mutation { saveWorkingCopy(postId: ${post.id}, input: { subtitle: null, words: "w" }) { id } }`);
  const shown = await ask(`{ post(id: ${post.id}) { workingCopy { subtitle words } } }`);
  expect(shown.data.post.workingCopy).toEqual({ subtitle: null, words: "w" });
  const published = await ask(`mutation { publishWorkingCopy(postId: ${post.id}) { subtitle words } }`);
  expect(published.data.publishWorkingCopy).toEqual({ subtitle: null, words: "w" });
  await ask(`mutation { updatePost(id: ${post.id}, input: { subtitle: "C" }) { id } }`);
  const { revisions } = (await ask(`{ post(id: ${post.id}) { revisions { id subtitle words } } }`)).data.post;
  expect(revisions).toMatchObject([
    { subtitle: null, words: "w" },
    { subtitle: "B", words: "none" },
  ]);
  const restored = await ask(`mutation { restoreRevision(id: ${revisions[0].id}) { subtitle words } }`);
  expect(restored.data.restoreRevision).toEqual({ subtitle: null, words: "w" });
});

test("a revision from before the column leaves it as it is", async () => {
  const post = await createPost(`subtitle: "B"`);
  await ask(`mutation { updatePost(id: ${post.id}, input: { title: "New" }) { id } }`);
  await database.query("update app_public.post_revisions set fields = '{}' where post_id = $1", [post.id]);
  const { revisions } = (await ask(`{ post(id: ${post.id}) { revisions { id title subtitle } } }`)).data.post;
  expect(revisions).toMatchObject([{ title: "T", subtitle: null }]);
  const restored = await ask(`mutation { restoreRevision(id: ${revisions[0].id}) { title subtitle } }`);
  expect(restored.data.restoreRevision).toEqual({ title: "T", subtitle: "B" });
});

test.each(names)("comments.%s: createComment writes it, and a change moves updatedAt", async (name) => {
  const post = await createPost("");
  const { data, errors } = await ask(
    `mutation { createComment(input: { postId: ${post.id}, text: "Hm.", ${given(name, inserted)} }) { id ${fieldOf(name)} updatedAt } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.createComment).toMatchObject(value(name, inserted));
  const [row] = await database.query<{ moved: boolean }>(
    `with former as (select id, updated_at from app_public.comments where id = $1)
     update app_public.comments c set ${name} = n.${name} from former, app_public.posts n where c.id = former.id and n.id = $2
     returning c.updated_at is distinct from former.updated_at as moved`,
    [data.createComment.id, (await createPost(given(name, updated))).id],
  );
  expect(row).toEqual({ moved: true });
});

test.each(["ndjson", "markdown"] as const)("each column travels by export and import, as %s", async (format) => {
  await database.query("delete from app_public.posts");
  for (const place of [inserted, updated]) await createPost(names.map((name) => given(name, place)).join(", "));
  const rows = () => database.query(`select ${names.join(", ")} from app_public.posts order by rating`);
  const before = await rows();
  const path = join(folder, format);
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await exportRows(owner, path, { format, only: kinds, withPasswordHashes: true });
  await owner.end();
  await database.query("delete from app_public.posts");
  const refused: string[] = [];
  await withClient(database.ownerUrl, async (client) =>
    importRows(
      client,
      await openInput(path),
      importOptions(),
      async ({ reason }) => void refused.push(reason),
      () => {},
    ),
  );
  expect(refused).toEqual([]);
  expect(await rows()).toEqual(before);
});

describe("what is said of a column", () => {
  const search = async (words: string) =>
    (await ask(`{ searchConnection(text: "${words}", first: 5) { nodes { fragmentsHtml post { title } } } }`)).data
      .searchConnection.nodes;

  test("searchable: posts that are written are found at once, others by the job; null ends it", async () => {
    await createPost(`subtitle: "Aardvarks of yore"`);
    expect(await search("aardvarks")).toEqual([]);
    await database.query("select conventions.searchable('app_public.posts', 'subtitle')");
    const { id } = await createPost(`subtitle: "Aardvarks of late"`);
    expect(await search("aardvarks")).toMatchObject([{ fragmentsHtml: "C <mark>Aardvarks</mark> of late" }]);
    await database.query("select app_private.index_posts(100)");
    expect(await search("aardvarks")).toHaveLength(2);
    expect(await search("yore")).toHaveLength(1);
    await ask(`mutation { updatePost(id: ${id}, input: { subtitle: "Zebras" }) { id } }`);
    expect(await search("zebras")).toHaveLength(1);
    expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
    await database.query(
      "select conventions.searchable('app_public.posts', 'subtitle', null), app_private.index_posts(100)",
    );
    expect(await search("zebras")).toEqual([]);
    expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
  });

  test.each([
    ["a table without a search", "searchable('app_public.comments', 'text')", "0A000"],
    ["a column that is no text", "searchable('app_public.posts', 'rating')", "42804"],
    ["a column that is missing", "searchable('app_public.posts', 'nowhere')", "42703"],
    ["another way to be found", "searchable('app_public.posts', 'subtitle', 'loud')", "23514"],
    ["a missing column", "derived('app_public.posts', 'nowhere')", "42703"],
    ["a missing column, too", "not_kept('app_public.posts', 'nowhere')", "42703"],
  ])("%s is refused", async (_what, call, code) => {
    await expect(database.query(`select conventions.${call}`)).rejects.toMatchObject({ code });
  });

  test("derived: a change moves no version, and no audit entry, revision or export has it", async () => {
    const post = await createPost("rating: 1");
    await database.query("select conventions.derived('app_public.posts', 'rating')");
    await database.query("update app_public.posts set rating = 5 where id = $1", [post.id]);
    expect((await ask(`{ post(id: ${post.id}) { rating version revisions { id } } }`)).data.post).toEqual({
      rating: 5,
      version: post.version,
      revisions: [],
    });
    const audited =
      "select from app_public.audit_trail where table_name = 'posts' and row_key = $1 and action = 'UPDATE'";
    expect(await database.query(audited, [post.id])).toEqual([]);
    await database.query("select conventions.derived('app_public.posts', 'rating', false)");
    await database.query("update app_public.posts set rating = 6 where id = $1", [post.id]);
    expect((await ask(`{ post(id: ${post.id}) { version } }`)).data.post.version).not.toBe(post.version);
  });

  test("not_kept: no revision, and a working copy refuses it by name", async () => {
    const post = await createPost(`code: "AB"`);
    await database.query("select conventions.not_kept('app_public.posts', 'code')");
    await service.app.rebuild();
    const { errors } = await ask(`mutation { saveWorkingCopy(postId: ${post.id}, input: { code: "CD" }) { id } }`);
    expect(errors?.[0]?.extensions).toMatchObject({
      validationErrors: [{ path: ["input", "code"], code: "NOT_IN_WORKING_COPY" }],
    });
    const { data } = await ask(
      `mutation { updatePost(id: ${post.id}, input: { code: "CD" }) { version revisions { id } } }`,
    );
    expect(data.updatePost).toMatchObject({ revisions: [], version: expect.not.stringMatching(post.version) });
    const fields = `{ revision: __type(name: "PostRevision") { fields { name } } copy: __type(name: "WorkingCopy") { fields { name } } }`;
    expect(JSON.stringify((await ask(fields)).data)).not.toContain(`"code"`);
  });
});
