import { Agent } from "node:http";
import { postJson } from "../support/post.ts";
import { readOptions } from "../support/readOptions.ts";
import { startThrowAwayService } from "../support/throwAwayService.ts";

const { seconds, connections } = readOptions({
  script: "load",
  purpose:
    "Sends reads and writes to a throw-away service and prints percentiles, memory and open files. Exits with status 1 if " +
    "a request fails or if memory or files grow.",
  numbers: { seconds: 60, connections: 16 },
});

const feed =
  "query Feed { feed(limit: 20) { id title publishedAt author { id name } tags { name } comments(limit: 3) { text author { name } } } }";
const reads = [
  feed,
  feed,
  "query Posts { posts(limit: 20, status: PUBLISHED) { id title } postsCount }",
  `query User { user(id: "1") { name followers { count } posts(limit: 5) { title } } }`,
];
const write =
  'mutation Write($title: String!, $tag: String!) { createPost(input: {title: $title, content: "Content.", tags: [$tag]}) { id slug } }';
/** One request of five writes. */
const writeEvery = 5;

await using service = await startThrowAwayService({ LOG_LEVEL: "error" });
const people = await Promise.all(["1", "2", "3", "4"].map((id) => service.authorizationOf(id)));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const times = { reads: [] as number[], writes: [] as number[] };
const failures: string[] = [];
let sent = 0;

async function send(query: string, number: number): Promise<void> {
  const from = performance.now();
  const authorization = people[number % people.length];
  const body = { query, variables: { title: `Story ${number} of many`, tag: `tag ${number % 100}` } };
  const text = await postJson(service.url, agent, JSON.stringify(body), { authorization }).then(
    (answer) => answer.text,
    (error) => String(error),
  );
  times[query === write ? "writes" : "reads"].push(performance.now() - from);
  if (!text.startsWith('{"data":{') || text.includes('"errors"')) failures.push(text.slice(0, 500));
}

async function run(forSeconds: number): Promise<void> {
  const endAt = Date.now() + forSeconds * 1_000;
  const caller = async () => {
    while (Date.now() < endAt) {
      const number = sent++;
      await send(number % writeEvery === 0 ? write : (reads[number % reads.length] as string), number);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
}

/** Reads the metrics of the service. */
async function measure() {
  const text = await (await fetch(new URL("/metrics", service.url), { headers: { connection: "close" } })).text();
  const metricValue = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  return {
    "resident memory (MB)": Math.round(metricValue("process_resident_memory_bytes") / 1e6),
    "heap used (MB)": Math.round(metricValue("nodejs_heap_size_used_bytes") / 1e6),
    "open files": metricValue("process_open_fds"),
    "active handles": metricValue("nodejs_active_handles_total"),
  };
}

/** Percentiles in milliseconds. */
function summary(measured: number[]) {
  const sorted = measured.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
  return {
    requests: sorted.length,
    "p50 (ms)": at(0.5),
    "p95 (ms)": at(0.95),
    "p99 (ms)": at(0.99),
    "slowest (ms)": at(1),
  };
}

// Warm up: plans and caches take memory once.
await run(seconds / 4);
times.reads.length = 0;
times.writes.length = 0;
const before = await measure();
await run(seconds);
const after = await measure();
const count = times.reads.length + times.writes.length;
console.log(
  `${count} requests in ${seconds} s over ${connections} connections: ${Math.round(count / seconds)} a second`,
);
console.table({ reads: summary(times.reads), writes: summary(times.writes) });
console.table({ before, after });
console.log(`${failures.length} failures`, ...failures.slice(0, 3));
const isFlat =
  after["resident memory (MB)"] < before["resident memory (MB)"] * 1.5 &&
  after["open files"] <= before["open files"] + 2;
if (!isFlat) console.log("Memory or open files grew.");
process.exitCode = failures.length === 0 && isFlat ? 0 : 1;
