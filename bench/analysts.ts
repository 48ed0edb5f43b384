import { randomUUID } from "node:crypto";
import pg from "pg";
import { fillForAnalysts, publicationSize, refreshRollups } from "../tools/support/analystContent.ts";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { comparedQuestions } from "./analystQuestions.ts";
import { median, table } from "./table.ts";

/** The promise of docs/analysts.md: each question is answered in less time. */
const boundMs = 1_000;
/** A question to the views reads no more than this many times the pages of the same question to the tables. */
const boundPages = 2;

/** Asks the questions of docs/analysts.md as an analyst, on generated content with five comments for each post. */
export async function measureAnalysts({ posts, rounds }: { posts: number; rounds: number }): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  stack.defer(() => database.stop());
  await database.start();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  stack.defer(() => owner.end());
  const comments = posts * 5;
  await fillForAnalysts(owner, { ...publicationSize, posts, comments, users: Math.ceil(posts / 10) });
  await refreshRollups(owner);
  await owner.query("vacuum (analyze)");
  await writeToday(owner, Math.ceil(posts / publicationSize.days), Math.ceil(comments / publicationSize.days));

  // Awaited here, before the connection and the server end.
  return await compareQuestions(owner, database.ownerUrl, rounds);
}

/** Asks each question of the views and of the tables, in turns, and compares the rows, the pages read and the time. */
export async function compareQuestions(owner: pg.Client, ownerUrl: string, rounds: number): Promise<string> {
  await owner.query("set search_path = app_public, app_private, analytics; set timezone = 'UTC'");
  const analyst = await connectAnalyst(owner, ownerUrl);
  try {
    // One process each. In parallel, PostgreSQL 18 takes minutes for the writers of months: the hash tables of its workers fit badly into one.
    for (const client of [owner, analyst]) await client.query("set max_parallel_workers_per_gather = 0");
    const rows = [];
    for (const { title, fromViews, fromTables } of comparedQuestions()) {
      const ms: Record<"views" | "tables", number[]> = { views: [], tables: [] };
      const [first, seen] = await measure(analyst, fromViews);
      const [, expected] = await measure(owner, fromTables);
      if (JSON.stringify(seen) !== JSON.stringify(expected)) {
        throw new Error(`${title}\nviews: ${JSON.stringify(seen)}\ntables: ${JSON.stringify(expected)}`);
      }
      for (let round = 0; round < rounds; round++) {
        ms.views.push((await measure(analyst, fromViews))[0]);
        ms.tables.push((await measure(owner, fromTables))[0]);
      }
      const pages = { views: await pagesOf(analyst, fromViews), tables: await pagesOf(owner, fromTables) };
      const share = pages.views / pages.tables;
      rows.push([
        title,
        `${linesOf(fromViews)}, ${linesOf(fromTables)}`,
        `${pages.views}, ${pages.tables}`,
        share > boundPages ? `**${share.toFixed(2)}**` : share.toFixed(2),
        first,
        `${median(ms.views)}, ${median(ms.tables)}`,
        median(ms.views) < boundMs ? "yes" : "**no**",
      ]);
    }
    const head = [
      "lines: views, tables",
      "pages: views, tables",
      "share",
      "ms, first time",
      "ms: views, tables",
      "under a second",
    ];
    return table(["question", ...head], rows);
  } finally {
    await analyst.end();
  }
}

/** Content of an ordinary day that is not over, which the views compute from the tables. */
async function writeToday(owner: pg.Client, posts: number, comments: number): Promise<void> {
  await owner.query(
    `insert into app_public.posts (author_id, title, content, status)
     select id, 'Today ' || id, 'Text.', 'PUBLISHED' from app_public.users order by id limit $1`,
    [posts],
  );
  await owner.query(
    `insert into app_public.comments (post_id, author_id, text)
     select id, author_id, 'A comment.' from app_public.posts where status = 'PUBLISHED' order by id % 997, id limit $1`,
    [comments],
  );
}

async function connectAnalyst(owner: pg.Client, ownerUrl: string): Promise<pg.Client> {
  const password = randomUUID();
  await owner.query(`create role bench_analyst login password '${password}'`);
  await owner.query("select app_private.admit_analyst('bench_analyst')");
  const url = Object.assign(new URL(ownerUrl), { username: "bench_analyst", password });
  const analyst = new pg.Client({ connectionString: url.href });
  await analyst.connect();
  return analyst;
}

async function measure(client: pg.Client, sql: string): Promise<[ms: number, rows: object[]]> {
  const begin = performance.now();
  const { rows } = await client.query(sql);
  return [Math.round(performance.now() - begin), rows];
}

async function pagesOf(client: pg.Client, sql: string): Promise<number> {
  const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) ${sql}`);
  // With the pages read for the plan: those for the plans of functions are in no number by themselves.
  const { Plan: run, Planning: planning } = rows[0]["QUERY PLAN"][0];
  return [run, planning].reduce((sum, part) => sum + part["Shared Hit Blocks"] + part["Shared Read Blocks"], 0);
}

function linesOf(sql: string): number {
  return sql.trim().split("\n").length;
}
