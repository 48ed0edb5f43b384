import { cpus, totalmem } from "node:os";
import { readOptions } from "../support/readOptions.ts";
import { measureCosts } from "./measureCosts.ts";

const options = readOptions({
  script: "costs",
  purpose:
    "Measures what the service costs on this machine: processor time of requests, WAL of writes, memory of connections and\n" +
    "subscriptions, processor time of events. Prints Markdown tables. --sockets is a multiple of 50.",
  numbers: { posts: 20_000, requests: 3_000, sockets: 500, "idle-seconds": 20 },
});
const costs = await measureCosts({ ...options, idleSeconds: options["idle-seconds"] });
const machine = `${cpus().length} cores (${cpus()[0]?.model}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
console.log(`${new Date().toISOString().slice(0, 10)}: ${machine}; ${options.posts} posts, ${costs}`);
