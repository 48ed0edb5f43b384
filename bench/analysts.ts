import { randomUUID } from "node:crypto";
import pg from "pg";
import { fillForAnalysts, publicationSize, refreshRollups } from "../tools/support/analystContent.ts";
import { readAnalystQuestions } from "../tools/support/analystQuestions.ts";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { median, table } from "./table.ts";

/** The promise of docs/analysts.md: each question is answered in less time. */
const boundMs = 1_000;

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

  const analyst = await connectAnalyst(owner, database.ownerUrl);
  stack.defer(() => analyst.end());
  const rows = [];
  for (const { title, sql } of readAnalystQuestions()) {
    const first = await measure(analyst, sql);
    const ms = [];
    for (let round = 0; round < rounds; round++) ms.push(await measure(analyst, sql));
    rows.push([title, first, median(ms), median(ms) < boundMs ? "yes" : "**no**"]);
  }
  return table(["question", "ms, first time", "ms, median", "under a second"], rows);
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

async function measure(client: pg.Client, sql: string): Promise<number> {
  const begin = performance.now();
  await client.query(sql);
  return Math.round(performance.now() - begin);
}
