import pg from "pg";
import { pino } from "pino";
import { startApp } from "../src/app.ts";
import { createTokenSigner, type SignToken } from "../src/identity/signToken.ts";
import { defaultSettings } from "../src/settings.ts";
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
import { median, table } from "./table.ts";

const secret = "a secret of thirty-two bytes or more, for the bench";
/** The aim: at a larger size, an operation costs at most so many times as much. */
const maxGrowth = 1.5;

/** Measured here only: these grow by their nature, or are bounded by a limit. */
const others: Record<string, Operation> = {
  "a page of posts at the offset 9,000": { query: "{ posts(limit: 20, offset: 9000, status: PUBLISHED) { title } }" },
};

interface Sample {
  /** Pages of the database that the operation's statements touch. */
  pages: number;
  /** The request's time, the median of some. */
  ms: number;
}

/** Measures each operation at several sizes, in a service of its own for each. @returns a Markdown table */
export async function measureScale(sizes: readonly number[], requests: number): Promise<string> {
  const all = Object.entries({ ...operations, ...others });
  const samples: Sample[][] = [];
  for (const size of sizes) samples.push(await measureAt(size, all, requests));
  const [small = []] = samples;
  const large = samples.at(-1) ?? [];
  const rows = all.map(([name], index) => {
    const growth = (large[index]?.pages ?? 0) / (small[index]?.pages || 1);
    const each = samples.flatMap((sample) => [sample[index]?.pages ?? "", sample[index]?.ms.toFixed(1) ?? ""]);
    return [name, ...each, growth <= maxGrowth ? growth.toFixed(2) : `**${growth.toFixed(2)}**`];
  });
  const head = sizes.flatMap((size) => [`pages at ${size}`, `ms at ${size}`]);
  return table(["operation", ...head, "growth of pages"], rows);
}

async function measureAt(size: number, all: [string, Operation][], requests: number): Promise<Sample[]> {
  await using stack = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  stack.defer(() => database.stop());
  await database.start();
  await fill(database.ownerUrl, { users: 1_000, posts: size });
  await run(database.ownerUrl, extremes(size));
  await run(database.ownerUrl, "vacuum analyze");
  const settings = { ...defaultSettings, port: 0, maintenanceMinutes: 0, countReads: false, token: { secret } };
  const app = await startApp({ ...settings, apiDatabaseUrl: database.apiUrl }, pino({ level: "error" }));
  stack.defer(() => app.close());
  const login = new pg.Pool({ connectionString: database.apiUrl, max: 1 });
  stack.defer(() => login.end());
  const cursor = await askForCursor(app.url);
  const samples: Sample[] = [];
  for (const [name, { query, as }] of all) {
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

async function askForCursor(url: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ query: cursorFarBehind });
  const response = await fetch(`${url}/graphql`, { method: "POST", headers, body });
  const { data } = (await response.json()) as { data: { postsConnection: { pageInfo: { startCursor: string } } } };
  return data.postsConnection.pageInfo.startCursor;
}

async function run(ownerUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
