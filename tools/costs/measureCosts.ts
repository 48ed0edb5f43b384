import { setTimeout as delay } from "node:timers/promises";
import { table } from "../../bench/table.ts";
import { type Content, type CostedRequest, reads, sendMessage, writes } from "./requests.ts";
import { Sockets } from "./Sockets.ts";
import { type Cost, Stage } from "./Stage.ts";

export interface Plan {
  posts: number;
  /** Of each operation, after as many that warm it up. */
  requests: number;
  sockets: number;
  /** Seconds in which nothing happens but the heartbeats of the subscriptions. */
  idleSeconds: number;
}

const [users, writers] = [1_000, 50];
/** Each socket subscribes to as many chats, below WEBSOCKET_OPERATIONS. */
const chatsPerSocket = 10;
/** Streams.ts reads each key that has subscribers so often. */
const heartbeatSeconds = 5;
const events = 20;

/** Measures what requests, writes and subscriptions cost on this machine. @returns Markdown */
export async function measureCosts({ posts, requests, sockets, idleSeconds }: Plan): Promise<string> {
  const content: Content = { posts, users, writers };
  await using stage = await Stage.open(content);
  const chats = 1 + sockets * chatsPerSocket;
  await openChats(stage, chats);
  const memberOf = (chat: number) => 1 + ((chat - 2) % writers);
  const toEach = sendMessage(
    "sendMessage, a chat each",
    (n) => 2 + (n % (chats - 1)),
    (n) => memberOf(2 + (n % (chats - 1))),
  );
  const rows: Row[] = [];
  for (const request of [...reads(content), ...writes(content), toEach]) {
    await stage.send(request, requests);
    rows.push(rowOf(request, await stage.costOf(() => stage.send(request, requests)), requests));
  }
  const connection = await stage.connectionBytes();
  const streams = await measureStreams(stage, { sockets, chats, idleSeconds, memberOf, toEach, requests });
  return [
    stage.version,
    table(["operation", "ms, server", "ms, database", "requests/s of one core", "WAL bytes"], rows),
    table(["what", "cost"], [["memory of a connection in PostgreSQL", kilobytes(connection)], ...streams]),
  ].join("\n\n");
}

type Row = readonly (string | number)[];

function rowOf({ name }: CostedRequest, { server, database, walBytes }: Cost, count: number): Row {
  // Linux counts processor time in hundredths of a second: a few requests may take none.
  const perCore = server + database > 0 ? ((1_000 * count) / (server + database)).toFixed(0) : "–";
  const wal = Math.round(walBytes / count);
  return [name, (server / count).toFixed(2), (database / count).toFixed(2), perCore, wal];
}

/** Chat 1 has all writers, and each of the others one of them. Each has a message, after which a subscription can begin. */
async function openChats({ owner }: Stage, chats: number): Promise<void> {
  await owner.query(
    `
    insert into app_public.chats (title) select 'Chat ' || n from generate_series(1, ${chats}) n;
    insert into app_public.chat_members (chat_id, user_id)
    select 1, n from generate_series(1, ${writers}) n
     union all select n, 1 + (n - 2) % ${writers} from generate_series(2, ${chats}) n;
    insert into app_public.messages (chat_id, sender_id, text)
    select id, greatest(1, 1 + (id - 2) % ${writers}), 'The first message' from app_public.chats order by id;
    vacuum analyze`.replace("vacuum analyze", ""),
  );
  await owner.query("vacuum analyze");
}

interface StreamsPlan {
  sockets: number;
  chats: number;
  idleSeconds: number;
  requests: number;
  memberOf(chat: number): number;
  toEach: CostedRequest;
}

async function measureStreams(stage: Stage, plan: StreamsPlan): Promise<Row[]> {
  const { sockets: count, chats, idleSeconds, requests, memberOf, toEach } = plan;
  using sockets = new Sockets(stage.url);
  const lastMessages = async () => {
    const { rows } = await stage.owner.query("select chat_id, max(id) as id from app_public.messages group by chat_id");
    return new Map(rows.map(({ chat_id, id }) => [chat_id as string, id as string]));
  };
  const idle = () => stage.costOf(() => delay(idleSeconds * 1_000));

  const empty = await stage.inspector.usedBytes();
  const userOf = (socket: number) => memberOf(2 + socket);
  for (let socket = 0; socket < count; socket++) await sockets.open(await stage.tokenOf(userOf(socket)));
  const open = await stage.inspector.usedBytes();
  const beforeSubscribing = await idle();

  // A chat belongs to the user of its socket, because the number of sockets is a multiple of the writers.
  const last = await lastMessages();
  for (let chat = 2; chat <= chats; chat++) {
    sockets.subscribe((chat - 2) % count, String(chat), last.get(String(chat)) ?? "");
  }
  await stage.subscribed(chats - 1);
  const subscribed = await stage.inspector.usedBytes();
  const afterSubscribing = await idle();
  const beats = (idleSeconds / heartbeatSeconds) * (chats - 1);

  // The first ones prepare statements.
  await sockets.receive(requests, () => stage.send(toEach, requests));
  const withOne = await stage.costOf(() => sockets.receive(requests, () => stage.send(toEach, requests)));

  const inOne = sendMessage(
    "sendMessage, one chat",
    () => 1,
    (n) => 1 + (n % writers),
  );
  const fanOut = async (subscribers: number) => {
    await sockets.receive(subscribers * events, () => stage.send(inOne, events));
    return stage.costOf(() => sockets.receive(subscribers * events, () => stage.send(inOne, events)));
  };
  const after = (await lastMessages()).get("1") ?? "";
  sockets.subscribe(0, "1", after);
  await stage.subscribed(chats);
  const toOne = await fanOut(1);
  const second = (await lastMessages()).get("1") ?? "";
  for (let socket = 1; socket < count; socket++) sockets.subscribe(socket, "1", second);
  await stage.subscribed(chats + count - 1);
  const toAll = await fanOut(count);

  const perDelivery = (part: "server" | "database") => (toAll[part] - toOne[part]) / (events * (count - 1));
  const perBeat = (part: "server" | "database") => (afterSubscribing[part] - beforeSubscribing[part]) / beats;
  return [
    ["memory of a socket in the service", kilobytes((open - empty) / count)],
    ["memory of a subscription in the service", kilobytes((subscribed - open) / (chats - 1))],
    [`a heartbeat of a chat with a subscriber, every ${heartbeatSeconds} s`, milliseconds(perBeat)],
    [
      "sendMessage, a chat each, with a subscriber, heartbeats of all chats included",
      milliseconds((part) => withOne[part] / requests),
    ],
    [`a message to one more socket, of ${count}`, milliseconds(perDelivery)],
  ];
}

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;

const milliseconds = (of: (part: "server" | "database") => number) =>
  `${of("server").toFixed(3)} + ${of("database").toFixed(3)} ms, server + database`;
