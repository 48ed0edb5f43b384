import { cpus } from "node:os";
import pg from "pg";
import { EmbeddedDatabase } from "../tools/support/EmbeddedDatabase.ts";
import { cpuOfFamily } from "./cpu.ts";
import { describe, fill } from "./data.ts";
import { load, type Sent, warmUpSeconds } from "./load.ts";
import type { Section } from "./results.ts";
import { columns, inRounds } from "./rounds.ts";
import { authorizations, peer, service } from "./servers.ts";
import { table } from "./table.ts";

const clients = 50;
const users = 5_000;

/** A mutation with other variables each time. */
interface Write extends Sent {
  name: string;
  /** @param n counts the requests @param client from 1 to 50, which is also the id of its user */
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
  const plan = { rounds, seconds, databases: [() => cpuOfFamily(databasePid)] };
  const headers = await authorizations(Array.from({ length: clients }, (_, i) => String(i + 1)));
  const servers = [
    peer("limit", "writes", database.ownerUrl, { headers }),
    peer("limit without triggers", "writes", database.ownerUrl, { headers, environment: { TRIGGERS: "off" } }),
    service("service", database.ownerUrl, { headers }),
    service("service, engine only", database.ownerUrl, { headers, environment: { COMPILE_QUERIES: "false" } }),
  ];
  for (const server of servers) {
    stack.defer(() => server.stop());
    await server.start();
  }
  const conditions =
    `${new Date().toISOString().slice(0, 10)}: ${clients} clients with a user each; ${rounds} rounds of ${seconds} s, medians; ` +
    `${cpus().length} cores, ${version}. The limit is \`node:http\` and hand-written inserts into the same tables, with their triggers, ` +
    "as their owner.";
  const sections: Section[] = [];
  for (const name of names) {
    const rows: (string | number)[][] = [];
    for (const write of writes[name] ?? []) {
      for (const server of servers) await load(server, write, clients, warmUpSeconds);
      const measured = await inRounds(servers, plan, (server, seconds) => load(server, write, clients, seconds));
      rows.push(...measured.map((row) => [write.name, ...row]));
    }
    const text = `${conditions}\n\n${table(["mutation", ...columns], rows)}`;
    console.log(`\n${name}\n\n${text}`);
    sections.push([name, text]);
  }
  return sections;
}
