import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { DroppingProxy } from "../tools/support/DroppingProxy.ts";
import { readOptions } from "../tools/support/readOptions.ts";
import { measureAnalysts } from "./analysts.ts";
import { cases } from "./cases.ts";
import { checkAnswers, compare, timeOf } from "./compare.ts";
import { cpuOfFamily } from "./cpu.ts";
import { describe, fill, follow } from "./data.ts";
import { embeddedMajor, startDatabase } from "./database.ts";
import { ownStatements } from "./ownStatements.ts";
import { measureReplicas } from "./replicas.ts";
import { type Section, writeSections } from "./results.ts";
import { measureScale } from "./scale.ts";
import { makeServers } from "./servers.ts";
import { table } from "./table.ts";
import { measureWrites, writes } from "./writes.ts";

const names = [...Object.keys(cases), "analysts", "scale", "replicas", ...Object.keys(writes)];
const { positionals, ...options } = readOptions({
  script: "bench",
  purpose:
    "Compares the service with the limit (node:http and the service’s own statement) and with other servers, on the same data.\n" +
    "All must give equal answers first. The case analysts asks the questions of docs/analysts.md, on a publication of its own;\n" +
    `${Object.keys(writes).join(" and ")} compare mutations of 50 clients with hand-written inserts, with and without triggers. The case scale measures operations at\n` +
    "10,000 and at --scale-posts posts; replicas compares reads with 0, 1 and 2 standbys.\n" +
    `Only ${Object.keys(cases).join(", ")}: --latency-ms puts the database so far away, in each direction; --postgres runs another major version of it,\n` +
    "from Debian’s or Ubuntu’s package.\n" +
    `Writes the cases’ sections of bench/RESULTS.md. Cases: ${names.join(", ")}`,
  numbers: {
    rounds: 3,
    seconds: 3,
    posts: 20_000,
    "publication-posts": 200_000,
    "scale-posts": 200_000,
    "latency-ms": 0,
    postgres: embeddedMajor,
  },
  positionals: "[case …]",
  known: names,
});
/** A service that is idle gives memory back after two minutes. */
const idleMs = 140_000;
const chosen = positionals.length > 0 ? positionals : names;

const machine =
  `${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB, ` +
  `Node ${process.versions.node}`;
const compared = chosen.filter((name) => name in cases);
if (compared.length > 0) writeSections(await compareServers(compared));
if (chosen.includes("analysts")) {
  const posts = options["publication-posts"];
  const answers = await measureAnalysts({ posts, rounds: options.rounds });
  console.log(`\nanalysts\n\n${answers}`);
  const conditions = `${machine}; ${posts} posts, ${posts * 5} comments, the last of them today; ${options.rounds} rounds after the first. Pages include those that are read for plans.`;
  writeSections([["analysts", `${conditions}\n\n${answers}`]]);
}

if (chosen.includes("scale")) {
  const sizes = [10_000, options["scale-posts"]];
  const requests = 20;
  const measured = await measureScale(sizes, requests);
  console.log(`\nscale\n\n${measured}`);
  const conditions = `${machine}; five comments and three tags for each post; medians of ${requests} requests, one after the other.`;
  writeSections([["scale", `${conditions}\n\n${measured}`]]);
}

const chosenWrites = chosen.filter((name) => name in writes);
if (chosenWrites.length > 0) writeSections(await measureWrites(chosenWrites, options));

if (chosen.includes("replicas")) {
  const measured = await measureReplicas(options);
  console.log(`\nreplicas\n\n${measured}`);
  const conditions =
    `${machine}; ${options.posts} posts; 16 connections, ${options.rounds} rounds of ${options.seconds} s, medians. Load generator, service, primary and ` +
    "replicas share the cores, so compare the processor time: it says what each would take from a machine of its own.";
  writeSections([["replicas", `${conditions}\n\n${measured}`]]);
}

async function compareServers(names: string[]): Promise<Section[]> {
  const { rounds, seconds, posts, postgres, "latency-ms": latencyMs } = options;
  await using stack = new AsyncDisposableStack();
  const database = await startDatabase(postgres);
  stack.defer(() => database.stop());
  await fill(database.ownerUrl, { users: 1_000, posts });
  await follow(database.ownerUrl);
  const { pid: databasePid, version } = await describe(database.ownerUrl);
  const proxy = await DroppingProxy.start(database.ownerUrl, undefined, latencyMs);
  stack.defer(() => proxy.stop());
  const servers = await makeServers(
    latencyMs > 0 ? proxy.url : database.ownerUrl,
    await ownStatements(database.apiUrl),
  );
  const firstAnswers: [cold: number, warm: number][] = [];
  for (const server of servers) {
    stack.defer(() => server.stop());
    await server.start();
    firstAnswers.push([await timeOf(server, "feed"), await timeOf(server, "feed")]);
  }
  await checkAnswers(servers);
  console.log("All servers give equal answers.");

  const versions = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies;
  const conditions =
    `${machine}, ${version}; ${posts} posts, ${posts * 5} comments; ${rounds} rounds of ${seconds} s, medians. ` +
    `Load generator, servers and database share the cores.${latencyMs > 0 ? ` The database is ${latencyMs} ms away, in each direction.` : ""}`;
  const away = latencyMs > 0 ? `, ${latencyMs} ms away` : "";
  const where = postgres === embeddedMajor ? away : `${away}, PostgreSQL ${postgres}`;
  const start = table(
    ["server", "ms to the first answer", "ms of the first feed", "of the second", "resident MB"],
    servers.map(({ name, startMs, residentMB }, index) => [name, startMs, ...(firstAnswers[index] ?? []), residentMB]),
  );
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const sections: Section[] = [[`Start${where}`, `${conditions}\n\n${packages.join(", ")}\n\n${start}`]];
  const plan = { rounds, seconds, databases: [() => cpuOfFamily(databasePid)] };
  for (const name of names) {
    const section = await compare(servers, name, [1, 8, 64], plan);
    sections.push([`${name}${where}`, `${conditions}\n\n${section}`]);
    console.log(`\n${name}\n\n${section}`);
  }
  const loaded = servers.map(({ residentMB }) => residentMB);
  await delay(idleMs);
  const memory = table(
    ["server", "resident MB", "after two idle minutes"],
    servers.map(({ name, residentMB }, index) => [name, loaded[index] as number, residentMB]),
  );
  return [...sections, [`Memory after the load${where}`, `After ${names.join(", ")}. ${conditions}\n\n${memory}`]];
}
