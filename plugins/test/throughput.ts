import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/**
 * Compares the preset with PostGraphile as it comes, on the tables of shop.sql: each in a process of its own, in turn. DATABASE_URL is
 * a database with them. `npm run bench -w plugins`
 */
const seconds = 2;
const rounds = 3;
const clients = 16;

const servers = {
  stock: `{ allProducts(first: 20, orderBy: [ADDED_AT_DESC, ROW_ID_DESC]) { nodes {
    rowId name price makerByMakerId { name } productTagsByProductId(first: 20) { nodes { tagByTagId { word } } } } } }`,
  preset: "{ products(limit: 20) { id name price maker { name } tags { word } } }",
};
type Name = keyof typeof servers;

const agent = new Agent({ keepAlive: true });

function send(url: string, query: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json" };
    const sent = request(url, { method: "POST", headers, agent }, (response) => resolve(text(response)));
    sent.on("error", reject).end(JSON.stringify({ query }));
  });
}

async function measure(url: string, query: string): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  const client = async () => {
    for (; performance.now() < end; count++) await send(url, query);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count / seconds;
}

const started = await Promise.all(
  (Object.keys(servers) as Name[]).map(async (name) => {
    const child = fork(fileURLToPath(new URL("./throughputServer.ts", import.meta.url)), [name]);
    const [url] = (await once(child, "message")) as [string];
    const first = await send(url, servers[name]);
    if (first.includes('"errors"')) throw new Error(first);
    return { name, url, child, rates: [] as number[] };
  }),
);
// The first round is for the compilers.
for (let round = 0; round <= rounds; round++) {
  for (const { name, url, rates } of started) {
    const rate = await measure(url, servers[name]);
    if (round > 0) rates.push(rate);
  }
}
const median = (rates: number[]) => [...rates].sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
const [stock = 0, preset = 0] = started.map(({ rates }) => median(rates));
for (const { name, rates } of started) console.log(name, rates.map(Math.round).join(" "), "requests a second");
console.log(`the preset: ${(preset / stock).toFixed(2)} times stock`);
for (const { child } of started) child.kill();
agent.destroy();
