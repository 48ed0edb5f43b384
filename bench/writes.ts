import { cpus } from "node:os";
import autocannon from "autocannon";
import pg from "pg";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import type { Sample } from "./compare.ts";
import { cpuOf, cpuOfFamily } from "./cpu.ts";
import { describe, fill } from "./data.ts";
import { warmUpSeconds } from "./load.ts";
import type { Section } from "./results.ts";
import type { Server } from "./Server.ts";
import { authorization, peer, service } from "./servers.ts";
import { median, table } from "./table.ts";

const clients = 50;
const users = 5_000;

/** A mutation with other variables each time. */
interface Write {
  name: string;
  operationName: string;
  query: string;
  /** @param n counts the requests of a server @param client from 1 to 50, which is also the id of its user */
  variables(n: number, client: number): Record<string, unknown>;
}

const content = "Some content of an ordinary post. ".repeat(30).trim();
const createPost = {
  operationName: "CreatePost",
  query:
    "mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { id title slug author { name } } }",
};
const sendMessage = {
  operationName: "SendMessage",
  query:
    "mutation SendMessage($chatId: ID!, $text: String!) { sendMessage(chatId: $chatId, text: $text) { id text sender { name } } }",
};
const tags = ["tag 1", "tag 2", "tag 3"];

export const writes: Record<string, Write[]> = {
  writes: [
    {
      name: "createPost",
      ...createPost,
      variables: (n) => ({ input: { title: `A post that is the ${n} one`, content, tags, status: "PUBLISHED" } }),
    },
    {
      name: "createPost, the same title",
      ...createPost,
      variables: () => ({ input: { title: "Hello", content, tags, status: "PUBLISHED" } }),
    },
    {
      name: "followUser",
      operationName: "FollowUser",
      query: "mutation FollowUser($id: ID!) { followUser(userId: $id) { user { id name } } }",
      // All clients follow the same user at once, and each client follows a user once.
      variables: (n) => ({ id: String(100 + (Math.floor(n / clients) % (users - 100))) }),
    },
  ],
  chat: [
    {
      name: "sendMessage, one chat",
      ...sendMessage,
      variables: (n) => ({ chatId: "1", text: `Message number ${n}` }),
    },
    {
      name: "sendMessage, a chat each",
      ...sendMessage,
      variables: (n, client) => ({ chatId: String(client + 1), text: `Message number ${n}` }),
    },
  ],
};

/** Chat 1 has everybody, the others one user each. */
const chats = `
  insert into app_public.chats (title) select 'Chat ' || n from generate_series(0, ${clients}) n;
  insert into app_public.chat_members (chat_id, user_id)
  select 1, n from generate_series(1, ${clients}) n union all select n + 1, n from generate_series(1, ${clients}) n`;

/** Compares mutations with hand-written inserts into the same tables. */
export async function measureWrites(
  names: readonly string[],
  { rounds, seconds, posts }: { rounds: number; seconds: number; posts: number },
): Promise<Section[]> {
  await using stack = new AsyncDisposableStack();
  const database = new EmbeddedDatabase();
  stack.defer(() => database.stop());
  await database.start();
  await fill(database.ownerUrl, { users, posts });
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query(chats);
  await owner.end();
  const { pid: databasePid, version } = await describe(database.ownerUrl);
  const servers = [
    peer("limit", "writes", database.ownerUrl),
    peer("limit without triggers", "writes", database.ownerUrl, { TRIGGERS: "off" }),
    service("service", database.ownerUrl),
    service("service, engine only", database.ownerUrl, { environment: { COMPILE_QUERIES: "false" } }),
  ];
  for (const server of servers) {
    stack.defer(() => server.stop());
    await server.start();
  }
  const headers = await Promise.all(Array.from({ length: clients }, (_, i) => authorization(String(i + 1))));
  const conditions =
    `${new Date().toISOString().slice(0, 10)}: ${clients} clients with a user each; ${rounds} rounds of ${seconds} s, medians; ` +
    `${cpus().length} cores, ${version}. The limit is \`node:http\` and hand-written inserts into the same tables, with their triggers, ` +
    "as their owner.";
  const sections: Section[] = [];
  for (const name of names) {
    const rows: (string | number)[][] = [];
    for (const write of writes[name] ?? []) {
      const samples = new Map<Server, Sample[]>(servers.map((server) => [server, []]));
      for (const server of servers) await load(server, write, headers, warmUpSeconds);
      for (let round = 0; round < rounds; round++) {
        for (let i = 0; i < servers.length; i++) {
          const server = servers[(i + round) % servers.length] as Server;
          const before = [cpuOf(server.pid), cpuOfFamily(databasePid)] as const;
          const { requests, ...sample } = await load(server, write, headers, seconds);
          samples.get(server)?.push({
            ...sample,
            serverCpu: (cpuOf(server.pid) - before[0]) / requests,
            databaseCpu: (cpuOfFamily(databasePid) - before[1]) / requests,
          });
        }
      }
      rows.push(...rowsOf(write.name, samples));
    }
    const head = [
      "mutation",
      "server",
      "requests/s",
      "share of the limit",
      "p50 ms",
      "p99 ms",
      "CPU ms, server + database",
    ];
    const text = `${conditions}\n\n${table(head, rows)}`;
    console.log(`\n${name}\n\n${text}`);
    sections.push([name, text]);
  }
  return sections;
}

let count = 0;

async function load(server: Server, write: Write, headers: Record<string, string>[], seconds: number) {
  const { operationName, query, variables } = write;
  const result = await autocannon({
    url: server.url,
    connections: clients,
    duration: seconds,
    sampleInt: 100,
    requests: [
      {
        method: "POST",
        setupRequest(request) {
          const client = 1 + (count++ % clients);
          const body = JSON.stringify({ operationName, query, variables: variables(count, client) });
          return { ...request, headers: { "content-type": "application/json", ...headers[client - 1] }, body };
        },
      },
    ],
    verifyBody: (body) => !String(body).includes('"errors"'),
  });
  const { requests, latency, errors, non2xx, mismatches } = result;
  if (errors + non2xx + mismatches > 0) {
    throw new Error(`${server.name}: of ${write.name}, ${errors + non2xx} had no answer and ${mismatches} an error`);
  }
  return { requests: requests.total, rate: requests.total / result.duration, p50: latency.p50, p99: latency.p99 };
}

function rowsOf(name: string, samples: Map<Server, Sample[]>): (string | number)[][] {
  const of = (list: Sample[], key: keyof Sample) => median(list.map((sample) => sample[key]));
  const limit = of([...samples.values()][0] ?? [], "rate");
  return [...samples].map(([server, list]) => [
    name,
    server.name,
    of(list, "rate").toFixed(0),
    (of(list, "rate") / limit).toFixed(2),
    of(list, "p50").toFixed(0),
    of(list, "p99").toFixed(0),
    `${of(list, "serverCpu").toFixed(2)} + ${of(list, "databaseCpu").toFixed(2)}`,
  ]);
}
