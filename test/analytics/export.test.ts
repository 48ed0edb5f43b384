import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import pg from "pg";
import { exportView } from "../../tools/export/exportView.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

/* An analyst writes views to files, in CSV and Parquet, with the numbers that the views have. */
const database = useDatabase();
const jane = useAnalyst(database);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "content-service-export-"));
  await database.query(await readFile(new URL("views.sql", import.meta.url), "utf8"));
  await database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Says "hello", twice', 'Text.', 'PUBLISHED');
    -- More rows than one batch.
    insert into app_private.post_reads select 1, day, 1 from generate_series('2000-01-01'::date, '2019-12-30', '1 day') as day;
    insert into app_public.users (name, created_at) values ('Old', '2000-01-01 00:00Z')`);
});
afterAll(() => rm(directory, { recursive: true }));

/** @returns the file */
async function write(view: string, format: "csv" | "parquet"): Promise<string> {
  const file = join(directory, `${view}.${format}`);
  const client = new pg.Client({ connectionString: jane.url });
  await client.connect();
  try {
    await client.query("begin read only");
    await exportView(client, view, format, file);
  } finally {
    await client.end();
  }
  return file;
}

async function readParquet(file: string): Promise<Record<string, unknown>[]> {
  return (await parquetReadObjects({ file: await asyncBufferFromFile(file) })) as Record<string, unknown>[];
}

describe("Parquet", () => {
  test("has lists as lists, and times as times, so that other programs know them", async () => {
    const typesOf = async (view: string) => {
      const file = await write(view, "parquet");
      const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
      return Object.fromEntries(schema.map(({ name, type, converted_type }) => [name, converted_type ?? type]));
    };
    expect(await typesOf("engagement_by_post")).toMatchObject({ tags: "LIST", element: "UTF8" });
    expect(await typesOf("activity_by_hour")).toMatchObject({ hour: "TIMESTAMP_MILLIS" });
    const hours = (await readParquet(await write("activity_by_hour", "parquet"))).map(({ hour }) => hour);
    expect(hours).toContainEqual(new Date("2020-01-01T20:00:00Z"));
  });

  test("has numbers, dates, texts, lists and nulls", async () => {
    const rows = await readParquet(await write("engagement_by_post", "parquet"));
    expect(rows.find(({ slug }) => slug === "first")).toEqual({
      post_id: 1n,
      title: "First",
      slug: "first",
      author_id: 1n,
      published_on: new Date("2020-01-01"),
      tags: ["go", "sql"],
      characters: 12,
      words: 2,
      comments: 3n,
      comments_first_week: 2n,
      comments_by_author: 1n,
      commenters: 2n,
      hours_to_first_comment: 4.5,
      last_comment_on: new Date("2020-02-20"),
      created_on: new Date("2020-01-01"),
      hours_to_publish: 10,
    });
    expect(rows.find(({ slug }) => slug === "late")).toMatchObject({ hours_to_first_comment: null, tags: ["go"] });
  });

  test("has all rows of a view that is larger than a batch, and none of an empty one", async () => {
    const { rows } = await jane.ask("select count(*), sum(comments) from totals_by_day");
    const read = await readParquet(await write("totals_by_day", "parquet"));
    expect([String(read.length), String(read.reduce((sum, row) => sum + Number(row["comments"]), 0))]).toEqual(rows[0]);
    await database.query("delete from app_private.post_reads");
    expect(await readParquet(await write("reads_by_post_and_day", "parquet"))).toEqual([]);
  });
});

test("CSV has a header, and quotes what needs it", async () => {
  const lines = (await readFile(await write("engagement_by_post", "csv"), "utf8")).split("\n");
  expect(lines[0]).toMatch(/^post_id,title,slug,/);
  expect(lines).toContainEqual('1,First,first,1,2020-01-01,"{go,sql}",12,3,2,1,2,4.5,2020-02-20,2020-01-01,10.0,2');
  expect(lines.find((line) => line.includes('"Says ""hello"", twice"'))).toBeDefined();
});
