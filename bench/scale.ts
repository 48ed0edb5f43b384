import pg from "pg";
import { createTokenSigner, type SignToken } from "../src/identity/signToken.ts";
import {
  cursorFarBehind,
  extremes,
  type Operation,
  operations,
  sharedBuffers,
  viewers,
} from "../test/flat/operations.ts";
import { recordStatements } from "../test/support/statements.ts";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { fill } from "./data.ts";
import { secret, startOwnApp } from "./ownApp.ts";
import { maxGrowth } from "./pictures.ts";
import { median, table } from "./table.ts";

/** Followers, replies, reports, chats and messages of the users who have very many. */
const maxOthers = 1_000_000;

const measured: readonly (readonly [name: string, Operation])[] = Object.entries({
  ...operations,
  "a page of posts at the offset 9,000": { query: "{ posts(limit: 20, offset: 9000, status: PUBLISHED) { title } }" },
});

interface Sample {
  /** Pages of the database that the operation's statements touch. */
  pages: number;
  /** The request's time, the median of some. */
  ms: number;
}

export interface Samples {
  /** The content that was filled in, and how long that took. */
  content: string;
  samples: Sample[];
}

/** Measures each operation at several sizes, in a service of its own for each. @returns Markdown */
export async function measureScale(sizes: readonly number[], requests: number): Promise<string> {
  const all: Samples[] = [];
  for (const size of sizes) all.push(await measureAt(size, requests));
  return describeGrowth(sizes, all);
}

/** @param all the samples of each size @returns Markdown */
export function describeGrowth(sizes: readonly number[], all: readonly Samples[]): string {
  const [small] = all;
  const large = all.at(-1);
  const rows = measured.map(([name], index) => {
    const growth = (large?.samples[index]?.pages ?? 0) / (small?.samples[index]?.pages || 1);
    const each = all.flatMap(({ samples }) => [samples[index]?.pages ?? "", samples[index]?.ms.toFixed(1) ?? ""]);
    return [name, ...each, growth <= maxGrowth ? growth.toFixed(2) : `**${growth.toFixed(2)}**`];
  });
  const head = sizes.flatMap((size) => [`pages at ${size}`, `ms at ${size}`]);
  const contents = all.map(({ content }) => `- ${content}`).join("\n");
  return `${contents}\n\n${table(["operation", ...head, "growth of pages"], rows)}`;
}

async function measureAt(size: number, requests: number): Promise<Samples> {
  await using stack = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  stack.defer(() => database.stop());
  await database.start();
  const content = await fillTo(size, database.ownerUrl);
  console.log(content);
  return { content, samples: await measureOperations(database.apiUrl, requests) };
}

export async function measureOperations(apiUrl: string, requests: number): Promise<Sample[]> {
  await using stack = new AsyncDisposableStack();
  const app = await startOwnApp(apiUrl);
  stack.defer(() => app.close());
  const login = new pg.Pool({ connectionString: apiUrl, max: 1 });
  stack.defer(() => login.end());
  const cursor = await askForCursor(app.url);
  const samples: Sample[] = [];
  for (const [name, { query, as }] of measured) {
    const token = as && (await (createTokenSigner({ secret }) as SignToken)(viewers[as])).token;
    const ask = async () => {
      const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : null) };
      const body = JSON.stringify({ query: query.replace("CURSOR", cursor) });
      const response = await fetch(`${app.url}/graphql`, { method: "POST", headers, body });
      const text = await response.text();
      if (!text.includes('"data":{')) throw new Error(`${name}: ${text}`);
    };
    const statements = (await recordStatements(ask)).filter(
      ({ application, identity }) => application === "content-service" && identity,
    );
    const pages = await Promise.all(statements.map((statement) => sharedBuffers(login, statement)));
    const ms: number[] = [];
    for (let request = 0; request < requests; request++) {
      const begin = performance.now();
      await ask();
      ms.push(performance.now() - begin);
    }
    samples.push({ pages: pages.reduce((sum, one) => sum + one, 0), ms: median(ms) });
  }
  return samples;
}

/** Fills the database without its indexes, and makes these from the full tables. @returns the content and the time taken */
export async function fillTo(size: number, ownerUrl: string): Promise<string> {
  const begin = performance.now();
  const url = `${ownerUrl}?options=${encodeURIComponent("-cwork_mem=256MB -cmaintenance_work_mem=1GB")}`;
  const dropped = await run(url, indexes);
  for (const { name } of dropped) await run(url, `drop index ${name}`);
  await fill(url, { users: 1_000, posts: size });
  await run(url, extremes(size, Math.min(size, maxOthers)));
  for (const { definition } of dropped) await run(url, definition ?? "");
  await run(url, "vacuum analyze");
  const [database] = await run(url, "select pg_size_pretty(pg_database_size(current_database())) as size");
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
  return `${size.toLocaleString("en")} posts: ${database?.["size"]}, filled in ${minutes} minutes.`;
}

/** Indexes of the large tables that no constraint needs, with the statements that make them, for partitions too. */
const indexes = `
  select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition from pg_index
   where indrelid in ('app_public.posts'::regclass, 'app_public.post_tags'::regclass, 'app_public.comments'::regclass,
                      'app_private.post_words'::regclass)
     and not exists (select from pg_constraint where conindid = indexrelid)`;

async function askForCursor(url: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: cursorFarBehind });
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { postsConnection: { pageInfo: { startCursor: string } } } };
  return data.postsConnection.pageInfo.startCursor;
}

async function run(ownerUrl: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}
