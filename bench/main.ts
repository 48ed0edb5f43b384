import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { readOptions } from "../tools/support/readOptions.ts";
import { cases } from "./cases.ts";
import { checkAnswers, compare } from "./compare.ts";
import { describe, fill } from "./data.ts";
import { makeServers } from "./servers.ts";
import { table } from "./table.ts";
import { measureTransport } from "./transport.ts";

const { positionals, rounds, seconds, posts } = readOptions({
  script: "bench",
  purpose:
    "Compares the service with the limit (node:http and one hand-written statement) and with other servers, on the same data.\n" +
    "All must give equal answers first. Writes bench/RESULTS.md. Cases: " +
    [...Object.keys(cases), "transport"].join(", "),
  numbers: { rounds: 3, seconds: 3, posts: 20_000 },
  positionals: "[case …]",
});
const chosen = positionals.length > 0 ? positionals : [...Object.keys(cases), "transport"];
const unknown = chosen.filter((name) => !(name in cases) && name !== "transport");
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Choose from: ${Object.keys(cases).join(", ")}`);
  process.exit(2);
}

await using stack = new AsyncDisposableStack();
const database = new EmbeddedDatabase();
stack.defer(() => database.stop());
await database.start();
await fill(database.ownerUrl, { users: 1_000, posts });
const { pid: databasePid, version } = await describe(database.ownerUrl);
const servers = await makeServers(database.ownerUrl);
for (const server of servers) {
  stack.defer(() => server.stop());
  await server.start();
}
await checkAnswers(servers);
console.log("All servers give equal answers.");

const sections = [
  [
    "Start",
    table(
      ["server", "ms to the first answer", "resident MB"],
      servers.map(({ name, startMs, residentMB }) => [name, startMs, residentMB]),
    ),
  ],
];
for (const name of chosen) {
  const section =
    name === "transport"
      ? await measureTransport(database.ownerUrl)
      : await compare(servers, name, { rounds, seconds, connections: [1, 8, 64], databasePid });
  sections.push([name, section]);
  console.log(`\n${name}\n\n${section}`);
}
sections.push([
  "Memory after the load",
  table(
    ["server", "resident MB"],
    servers.map(({ name, residentMB }) => [name, residentMB]),
  ),
]);
const versions = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies;
writeFileSync(
  new URL("RESULTS.md", import.meta.url),
  `${[
    "# Results",
    `Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpus()[0]?.model}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}, ${version}; ${posts} posts, ${posts * 5} comments; ` +
      `${rounds} rounds of ${seconds} s, medians. Load generator, servers and database share the cores.`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
    ...sections.map(([title, text]) => `## ${title}\n\n${text}`),
  ].join("\n\n")}\n`,
);
