import pg from "pg";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { ReadCounts } from "../../src/reads/ReadCounts.ts";
import { post } from "../../tools/support/post.ts";
import { useDatabase } from "../support/database.ts";
import { reuseSchema, testSettings } from "../support/service.ts";

/* Reads of single posts are counted by post and day, without the reader. */
const database = useDatabase();
const logged: Record<string, unknown>[] = [];
const log = pino({ level: "info" }, { write: (line) => void logged.push(JSON.parse(line)) });

beforeAll(async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, status) values
      (1, 'One', 'Text.', 'PUBLISHED'), (1, 'Two', 'Text.', 'PUBLISHED'), (1, 'Draft', 'Text.', 'DRAFT')`);
});
beforeEach(async () => {
  logged.length = 0;
  // Not truncate, which would change the catalogue, and so the schema.
  await database.query("delete from app_private.post_reads");
});

const counts = () =>
  database.query<{ post_id: string; reads: string }>(
    "select post_id, reads from app_private.post_reads order by post_id",
  );

/** Asks a service that runs for these queries only; counts are stored when it stops. */
async function ask(queries: string[], settings: { countReads?: boolean } = {}): Promise<unknown[]> {
  const app = await startApp({ ...testSettings, apiDatabaseUrl: database.apiUrl, reuseSchema, ...settings }, log);
  try {
    const answers = [];
    for (const query of queries) answers.push(await post(`${app.url}/graphql`, query));
    return answers;
  } finally {
    await app.close();
  }
}

describe("a read is counted", () => {
  test("for each single post in an answer, under any alias and in fragments, once the service stops", async () => {
    await ask([
      '{ post(id: "1") { title } }',
      'query Both { a: post(id: "1") { id } b: post(id: "2") { id } ...more } fragment more on Query { b: post(id: "2") { title } }',
      'query Some($no: Boolean = false) { post(id: "2") @include(if: $no) { id } }',
    ]);
    expect(await counts()).toEqual([
      { post_id: "1", reads: "2" },
      { post_id: "2", reads: "1" },
    ]);
  });

  test("for each preview link that shows something, by its token", async () => {
    await database.query(`
      insert into app_public.previews (post_id, token_hash, expires_at)
      select 3, sha256(token::bytea), now() + interval '1 day' from unnest(array['used', 'not used']) as token`);
    await ask(['{ a: preview(token: "used") { title } b: preview(token: "unknown") { id } }']);
    expect(
      await database.query("select last_used_at is not null as is_used from app_public.previews order by id"),
    ).toEqual([{ is_used: true }, { is_used: false }]);
    expect(JSON.stringify(logged)).not.toContain("used");
  });

  test("not for drafts, missing posts, lists and nested posts", async () => {
    await ask([
      '{ post(id: "3") { id } gone: post(id: "999") { id } odd: post(id: "x") { id } }',
      '{ posts(limit: 9) { id } feed(limit: 9) { id } user(id: "1") { posts { id } } }',
    ]);
    expect(await counts()).toEqual([]);
  });

  test("not with COUNT_READS=false", async () => {
    await ask(['{ post(id: "1") { title } }'], { countReads: false });
    expect(await counts()).toEqual([]);
  });
});

test("a request is answered although its read cannot be stored", async () => {
  await database.query("revoke execute on function app_private.count_reads(bigint[], int[]) from api_login");
  try {
    expect(await ask(['{ post(id: "1") { title } }'])).toEqual([{ data: { post: { title: "One" } } }]);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: "reads could not be stored; the next flush tries again" }),
    );
  } finally {
    await database.query("grant execute on function app_private.count_reads(bigint[], int[]) to api_login");
  }
});

describe("the counts in memory", () => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: database.apiUrl, max: 1 });
    pool.on("error", () => {});
    database.ends.defer(() => pool.end());
  });
  const storedBy = "app_private.count_reads";
  const read = (id: string) => [{ storedBy, id }];

  test("are added to those of the day, two spellings of an id together", async () => {
    await using reads = new ReadCounts(pool, log);
    for (const id of ["1", "1", "01", "2", "3", "77"]) reads.add(() => read(id));
    await reads.flush();
    reads.add(() => read("1"));
    await reads.flush();
    expect(await counts()).toEqual([
      { post_id: "1", reads: "4" },
      { post_id: "2", reads: "1" },
    ]);
  });

  test("are bounded", async () => {
    await using reads = new ReadCounts(pool, log, { maxRows: 1 });
    for (const id of ["2", "1", "2"]) reads.add(() => read(id));
    await reads.flush();
    expect(await counts()).toEqual([{ post_id: "2", reads: "2" }]);
  });

  test("wait when they cannot be stored", async () => {
    const nowhere = new pg.Pool({ connectionString: "postgres://127.0.0.1:1/none" });
    const reads = new ReadCounts(nowhere, log);
    reads.add(() => read("1"));
    await reads.flush();
    nowhere.query = pool.query.bind(pool) as never;
    await reads.flush();
    expect(await counts()).toEqual([{ post_id: "1", reads: "1" }]);
    await nowhere.end();
  });

  test("ignore a failure to find what was read", () => {
    const reads = new ReadCounts(pool, log);
    expect(() =>
      reads.add(() => {
        throw new Error("odd");
      }),
    ).not.toThrow();
  });
});

test("nothing of the reader is stored", async () => {
  const columns = await database.query(
    "select attname from pg_attribute where attrelid = 'app_private.post_reads'::regclass and attnum > 0 order by attnum",
  );
  expect(columns.map(({ attname }) => attname)).toEqual(["post_id", "day", "reads"]);
});
