import { once } from "node:events";
import { useDatabase } from "../support/database.ts";
import { runDb, startDb } from "../support/runDb.ts";

/* npm run db:index: indexes are built beside writers, and no invalid index stays. */
const database = useDatabase();
/** Its tables have the same oids: it is a copy of the same template. */
const neighbour = useDatabase();

const create = "create index concurrently if not exists posts_title_idx on app_public.posts (title)";

const start = (...args: string[]) => startDb(database.ownerUrl, ["index", ...args]);

async function run(...args: string[]): Promise<{ status: number | null; output: string }> {
  const { status, output } = await runDb(database.ownerUrl, ["index", ...args]);
  return { status, output };
}

/** Whether each index of this name is valid. */
async function validity(name: string): Promise<boolean[]> {
  const rows = await database.query<{ indisvalid: boolean }>(
    "select indisvalid from pg_index join pg_class on pg_class.oid = indexrelid where relname = $1",
    [name],
  );
  return rows.map(({ indisvalid }) => indisvalid);
}

test("waits for a transaction that writes, names it, tries again, and leaves a valid index", async () => {
  const writer = await database.hold("set application_name = 'importer'; update app_public.posts set title = title");
  const child = start(create, "--lock-timeout", "100ms");
  const closed = once(child, "close");
  const seen: string[] = [];
  const [waiting, dropping] = [
    /^Waiting for importer as \w+, pid \d+, in a transaction since/,
    /^Dropping .*posts_title_idx/,
  ];
  for await (const chunk of child.stdout ?? []) {
    seen.push(...String(chunk).split("\n").filter(Boolean));
    // The second attempt drops what the first has left, and waits for the writer too.
    if ([waiting, dropping].every((words) => seen.some((line) => words.test(line)))) await writer.release();
  }
  expect(seen).toContain("Waited too long for a lock. Trying again.");
  expect(seen.at(-1)).toBe("Done.");
  expect(await closed).toEqual([0, null]);
  expect(await validity("posts_title_idx")).toEqual([true]);
});

test("neither reads nor writes of the table wait for it", async () => {
  const writer = await database.hold("update app_public.posts set title = title");
  const built = run("create index concurrently posts_content_idx on app_public.posts (char_length(content))");
  await writer.somebodyWaits();
  await database.query("insert into app_public.posts (author_id, title, content) values (1, 'Beside', 'it')");
  expect(await database.query("select title from app_public.posts")).toEqual([{ title: "Beside" }]);
  await writer.release();
  expect(await built).toMatchObject({ status: 0 });
  expect(await validity("posts_content_idx")).toEqual([true]);
});

test("Ctrl-C cancels the statement, and leaves no index", async () => {
  const writer = await database.hold("update app_public.posts set title = title");
  const child = start("create index concurrently posts_excerpt_idx on app_public.posts (excerpt)");
  await writer.somebodyWaits();
  const closed = once(child, "close");
  child.kill("SIGINT");
  // The statement has ended although the writer has not.
  const said: string[] = [];
  for await (const chunk of child.stdout ?? []) {
    said.push(String(chunk));
    if (String(chunk).includes("Dropping")) await writer.release();
  }
  expect({ closed: await closed, valid: await validity("posts_excerpt_idx"), said: said.join("") }).toEqual({
    closed: [1, null],
    valid: [],
    said: expect.stringMatching(/Dropping the invalid index app_public.posts_excerpt_idx, which .* has left\.\n$/),
  });
});

test("rows that break a unique index are named, and leave no index", async () => {
  await database.query("insert into app_public.posts (author_id, title, content) values (1, 'Twice', 'it')");
  const refused = await run("create unique index concurrently posts_author_key on app_public.posts (author_id)");
  expect(refused.output).toContain("could not create unique index");
  expect(refused.output).toContain("(author_id)=(1) is duplicated");
  expect(refused.status).toBe(1);
  expect(await validity("posts_author_key")).toEqual([]);
});

test("drops and rebuilds indexes as well, and refuses everything else", async () => {
  expect(await run("reindex index concurrently app_public.posts_title_idx")).toEqual({ status: 0, output: "Done.\n" });
  expect(await run("drop index concurrently app_public.posts_title_idx")).toEqual({ status: 0, output: "Done.\n" });
  expect(await validity("posts_title_idx")).toEqual([]);
  for (const sql of ["", "create index posts_title_idx on app_public.posts (title)", "drop table app_public.posts"]) {
    expect((await run(sql)).output).toMatch(/^Give one statement with "concurrently": npm run db:index/);
  }
  expect((await run(`${create}; select 1`)).output).toContain("cannot insert multiple commands");
});

test("leaves an invalid index of another table, which a migration may need, and names what builds it again", async () => {
  const [table, index] = ["app_public.comments", "app_public.comments_text_idx"];
  await database.query(`create index comments_text_idx on ${table} (text)`);
  await database.query(`update pg_index set indisvalid = false where indexrelid = '${index}'::regclass`);
  const repair = `npm run db:index -- "reindex index concurrently ${index}"`;
  const build = await neighbour.hold(`lock table ${table} in share update exclusive mode`);
  const { output } = await run(create);
  expect(await database.query("select subject from app_private.index_problems()")).toEqual([{ subject: index }]);
  await build.release();
  expect(output).toContain(
    `The index ${index} is invalid, and a migration would take it for built. Repair: ${repair}\n`,
  );
  expect(await validity("comments_text_idx")).toEqual([false]);
  expect(await run(`reindex index concurrently ${index}`)).toEqual({ status: 0, output: "Done.\n" });
  expect(await validity("comments_text_idx")).toEqual([true]);
  await database.query(`update pg_index set indisvalid = false where indexrelid = '${index}'::regclass`);
  const again = await run(`create index concurrently if not exists comments_text_idx on ${table} (text)`);
  expect(again.output).toContain(`Dropping the invalid index ${index}`);
  expect(await validity("comments_text_idx")).toEqual([true]);
});
