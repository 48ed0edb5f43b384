import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withClient } from "@content-service/support/withClient.ts";
import { lexicographicSortSchema, printSchema } from "graphql";
import pg, { type DatabaseError } from "pg";
import { lintFunctions } from "../../packages/migration-review/check/functions/lintFunctions.ts";
import { project } from "../../src/commands/project.ts";
import { exportRows } from "../../src/commands/transfer/exportRows.ts";
import { importRows } from "../../src/commands/transfer/importRows.ts";
import { openInput } from "../../src/commands/transfer/readRows.ts";
import { kinds } from "../../src/commands/transfer/tables.ts";
import { readEvents } from "../support/readEvents.ts";
import { type Person, useService } from "../support/service.ts";
import { importOptions } from "../transfer/importOptions.ts";

/* conventions.rename_column() renames a column in SQL, and nothing else changes: what names the column follows, or the call refuses. */
const service = useService();
const { database } = service;
const fixtures = new URL("../../migrations/fixtures/functions/", import.meta.url);
const files = readdirSync(fixtures, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sql"))
  .map((name) => ({
    file: `migrations/fixtures/functions/${name}`,
    text: readFileSync(new URL(name, fixtures), "utf8"),
  }));

interface NamedColumn {
  table: string;
  name: string;
  /** Whether members write it, and it refers to no other row. */
  is_written: boolean;
}

const columnsOf = () =>
  database.query<NamedColumn>(`
    select attrelid::regclass::text as table, attname as name,
           (has_column_privilege('api_member', attrelid, attnum, 'insert') or has_column_privilege('api_member', attrelid, attnum, 'update'))
             and attname <> 'fields'
             and not exists (select from pg_constraint where conrelid = attrelid and contype in ('p', 'f') and attnum = any (conkey)) as is_written
      from pg_attribute join pg_class on pg_class.oid = attrelid
     where relkind = 'r' and relnamespace = 'app_public'::regnamespace and attnum > 0 and not attisdropped order by 1, attnum`);
const rename = "select conventions.rename_column($1::regclass, $2, $2::name || '_2')";

/** RENAMES=all tries all columns, which takes a quarter of a minute: short, those that members write, and those of posts. */
const isLong = process.env["RENAMES"] === "all";

test("each column of each table is renamed with all functions, or the call refuses and names the function", async () => {
  const columns = (await columnsOf()).filter(
    ({ is_written, table }) => isLong || is_written || table === "app_public.posts",
  );
  const refused: string[] = [];
  const broken = await withClient(database.ownerUrl, async (client) => {
    await client.query("begin; set local client_min_messages = warning");
    for (const { table, name } of columns) {
      await client.query("savepoint before");
      await client.query(rename, [table, name]).catch(async (error: DatabaseError) => {
        expect(error).toMatchObject({ code: "0A000" });
        refused.push(`${table}.${name}`);
        await client.query("rollback to savepoint before");
      });
    }
    return (await lintFunctions(client, project, files, () => true)).filter(({ severity }) => severity === "refused");
  });
  expect(broken.map(({ message }) => message)).toEqual([]);
  expect(refused.length).toBeLessThan(columns.length / 2);
  expect(columns.filter(({ is_written, table, name }) => is_written && refused.includes(`${table}.${name}`))).toEqual(
    [],
  );
});

test("a name that may be another column's is left, and the call says where", async () => {
  await database.query(`
    create function app_private.titles() returns setof text language sql as
      $$ select title from app_public.posts join app_public.chats using (title) $$`);
  await expect(database.query(rename, ["app_public.chats", "title"])).rejects.toMatchObject({
    code: "0A000",
    message: "The text of app_private.titles() may mean another column by title",
    hint: "Write the table or an alias before each name there, as in chats.title, and call this again.",
  });
  await database.query("drop function app_private.titles()");
});

describe("after each column that members write has another name", () => {
  const ask = async (query: string, as: Person = "ada") => {
    const { data, errors } = await service.ask(query, { as });
    return { data, errors, error: errors?.[0]?.extensions };
  };
  const create = async (more = "") =>
    (
      await ask(
        `mutation { createPost(input: { title: "Rye", content: "Flour.", status: PUBLISHED ${more} }) { id version } }`,
      )
    ).data.createPost;
  let before: string;
  let old: { id: string; version: string };

  beforeAll(async () => {
    await database.query(`
      alter table app_public.posts add column subtitle text;
      select conventions.allow_writing('app_public.posts', '{subtitle}', 'app_public.create_post_input', 'app_public.update_post_input'),
             conventions.searchable('app_public.posts', 'subtitle')`);
    await service.app.rebuild();
    before = printSchema(lexicographicSortSchema(service.app.schema));
    old = await create(`, subtitle: "An old line"`);
    await ask(`mutation { updatePost(id: ${old.id}, input: { title: "Wheat", subtitle: "A new line" }) { id } }`);
    await ask(
      `mutation { saveWorkingCopy(postId: ${old.id}, input: { content: "Kept.", subtitle: "Kept, too" }) { id } }`,
    );
    for (const { table, name, is_written } of await columnsOf())
      if (is_written) await database.query(rename, [table, name]);
    await service.app.rebuild();
  });

  test("the API is the same", () => {
    expect(printSchema(lexicographicSortSchema(service.app.schema))).toBe(before);
  });

  test("posts are written, with versions, revisions, working copies and errors of their fields", async () => {
    const revisions = `revisions { id title excerpt content subtitle }`;
    const { data } = await ask(
      `{ post(id: ${old.id}) { title excerpt subtitle ${revisions} workingCopy { title content subtitle } } }`,
    );
    expect(data.post).toMatchObject({
      title: "Wheat",
      excerpt: "Flour.",
      subtitle: "A new line",
      revisions: [{ title: "Rye", excerpt: "Flour.", content: "Flour.", subtitle: "An old line" }],
      workingCopy: { title: "Wheat", content: "Kept.", subtitle: "Kept, too" },
    });
    const published = await ask(
      `mutation { publishWorkingCopy(postId: ${old.id}) { title content excerpt subtitle } }`,
    );
    expect(published.data.publishWorkingCopy).toEqual({
      title: "Wheat",
      content: "Kept.",
      excerpt: "Kept.",
      subtitle: "Kept, too",
    });
    const restored = await ask(
      `mutation { restoreRevision(id: ${data.post.revisions[0].id}) { title content subtitle } }`,
    );
    expect(restored.data.restoreRevision).toEqual({ title: "Rye", content: "Flour.", subtitle: "An old line" });
    const { id, version } = await create(`, subtitle: "S", tags: ["bread"]`);
    const update = (input: string) =>
      ask(
        `mutation { updatePost(id: ${id}, input: { ${input} }, ifVersion: "${version}") { title content excerpt subtitle status ${revisions} } }`,
      );
    expect((await update(`title: "${"x".repeat(201)}", content: ""`)).error).toMatchObject({
      validationErrors: [
        { path: ["input", "content"], code: "TOO_SHORT" },
        { path: ["input", "title"], code: "TOO_LONG" },
      ],
    });
    expect((await update(`content: "Water.", excerpt: null, subtitle: null`)).data.updatePost).toMatchObject({
      content: "Water.",
      excerpt: "Water.",
      subtitle: null,
      revisions: [{ content: "Flour.", subtitle: "S" }],
    });
    expect((await update(`status: DRAFT`)).error).toMatchObject({ code: "CONFLICT" });
    expect(
      (
        await ask(
          `mutation { updatePost(id: ${id}, input: { status: DRAFT, publishAt: "2999-01-01T00:00:00Z" }) { status publishAt } }`,
        )
      ).data.updatePost,
    ).toMatchObject({ status: "DRAFT" });
    expect((await ask(`mutation { updatePost(id: ${id}, input: { status: TRASHED }) { id } }`)).error).toMatchObject({
      validationErrors: [{ path: ["input", "status"], code: "USE_DELETE_POST" }],
    });
    await ask(`mutation { deletePost(id: ${id}) { message } }`);
    expect((await ask(`{ trashedPosts(limit: 5) { title content status } }`)).data.trashedPosts).toEqual([
      { title: "Rye", content: "Water.", status: "DRAFT" },
    ]);
    expect((await ask(`mutation { restorePost(id: ${id}) { title content tags { name } } }`)).data.restorePost).toEqual(
      {
        title: "Rye",
        content: "Water.",
        tags: [{ name: "bread" }],
      },
    );
  });

  test("the search, lists, counts, previews and subscriptions go on", async () => {
    const { id } = await create(`, subtitle: "Zebras"`);
    const found = await ask(
      `{ searchConnection(text: "zebras", first: 5) { nodes { titleHtml fragmentsHtml post { title } } } }`,
    );
    expect(found.data.searchConnection.nodes).toEqual([
      { titleHtml: "Rye", fragmentsHtml: "Flour. <mark>Zebras</mark>", post: { title: "Rye" } },
    ]);
    const listed = await ask(
      `{ posts(status: PUBLISHED, orderBy: TITLE, limit: 50) { title } postsCount(status: PUBLISHED) }`,
    );
    expect(listed.data.posts).toHaveLength(listed.data.postsCount);
    const link = await ask(
      `mutation { createPreview(postId: ${id}, expiresAt: "${new Date(Date.now() + 1e7).toISOString()}") }`,
    );
    const preview = `{ preview(token: "${link.data.createPreview}") { title content } }`;
    expect((await ask(preview, "nobody")).data.preview).toEqual({ title: "Rye", content: "Flour." });
    const stream = await readEvents(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(await service.headersOf("ada")) },
      body: JSON.stringify({ query: `subscription { commentAdded(postId: ${id}) { text } }` }),
    });
    const said = await ask(`mutation { createComment(input: { postId: ${id}, text: "Hm." }) { id text } }`, "bob");
    expect(said.data.createComment).toMatchObject({ text: "Hm." });
    expect(String(await stream.events.take(1))).toContain(`"text":"Hm."`);
    stream.close();
    const change = (text: string) =>
      ask(`mutation { updateComment(id: ${said.data.createComment.id}, text: "${text}") { text } }`, "bob");
    expect((await change("Ah.")).data.updateComment).toEqual({ text: "Ah." });
    expect((await change("x".repeat(5_001))).error).toMatchObject({
      validationErrors: [{ path: ["text"], code: "TOO_LONG" }],
    });
    const profile = await ask(`mutation { updateProfile(input: { name: "Ada L.", bio: "B." }) { name bio } }`);
    expect(profile.data.updateProfile).toEqual({ name: "Ada L.", bio: "B." });
    expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
    expect(await database.query("select * from change_feed.problems()")).toEqual([]);
  });

  test.each(["ndjson", "markdown"] as const)("export and import go on, with the API's names, as %s", async (format) => {
    const folder = await mkdtemp(join(tmpdir(), "content-service-rename-"));
    const rows = () =>
      database.query("select title_2, content_2, subtitle_2, status_2 from app_public.posts order by 1, 2, 3");
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    try {
      const before = await rows();
      const path = join(folder, format);
      await exportRows(owner, path, { format, only: kinds, withPasswordHashes: true });
      await database.query("delete from app_public.posts");
      const refused: string[] = [];
      const counts = await importRows(
        owner,
        await openInput(path),
        importOptions(),
        async ({ reason }) => void refused.push(reason),
        () => {},
      );
      expect(refused).toEqual([]);
      expect(await rows()).toEqual(before);
      expect(counts.comment.imported).toBeGreaterThan(0);
    } finally {
      await owner.end();
      await rm(folder, { recursive: true });
    }
  });
});
