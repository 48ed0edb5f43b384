import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";
import { heapInUse } from "./support/heap.ts";

/* Tens of thousands of subscriptions may be idle. Each keeps what its next event needs, and nothing of its request. */
const perSocket = 20;
const sockets: RawSocket[] = [];
const service = useService({
  rateLimitAddress: 0,
  socketLimits: { operations: perSocket, socketsPerAddress: 1_000, pingIntervalMs: 600_000 },
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** Without the lines of the log, which useService() keeps. */
function heapOfService(): Promise<number> {
  service.logged.length = 0;
  return heapInUse();
}

test("an idle subscription takes less than 4.5 KB of the heap, and leaves nothing when it has ended", async () => {
  await service.database.query(`insert into app_public.posts (author_id, title, content, status)
    select 1, 'Idle ' || n, 'A', 'PUBLISHED' from generate_series(1, 1200) n`);
  const { data } = await service.ask("{ postsConnection(first: 1) { nodes { id } } }");
  const last = Number((data as any).postsConnection.nodes[0].id);
  for (let i = 0; i < 60; i++) {
    const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    sockets.push(socket);
    socket.say({ type: "connection_init" });
    await socket.messages.next();
  }
  /** Each subscription is to a post of its own. */
  const subscribe = async (from: number, to: number) => {
    for (const [place, socket] of sockets.slice(from, to).entries()) {
      for (let id = 0; id < perSocket; id++) {
        const query = "subscription ($post: ID!) { commentAdded(postId: $post) { id } }";
        const variables = { post: String(last - (from + place) * perSocket - id) };
        socket.say({ type: "subscribe", id: String(id), payload: { query, variables } });
      }
    }
    await untilListening(to * perSocket, service.app);
  };
  await subscribe(0, 10);
  const before = await heapOfService();
  await subscribe(10, 60);
  expect(((await heapOfService()) - before) / (50 * perSocket)).toBeLessThan(4_500);
  const end = async () => {
    for (const socket of sockets.slice(10)) {
      for (let id = 0; id < perSocket; id++) socket.say({ type: "complete", id: String(id) });
    }
    await untilListening(10 * perSocket, service.app);
  };
  await end();
  // Tables have grown, and stay large.
  const after = await heapOfService();
  await subscribe(10, 60);
  await end();
  expect(((await heapOfService()) - after) / (50 * perSocket)).toBeLessThan(1_000);
});
