import { WebSocket } from "ws";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { environment } from "../../tools/torture/Service.ts";
import { useDatabase } from "../support/database.ts";
import { people } from "../support/service.ts";

/* The smallest heap that the service promises to live with, and results that would fill it several times at once. */
const heapMB = 256;
const semiSpaceMB = 16;
const sockets = 5;
const perSocket = 20;
/** Large results pause between each other, so that not all are awaited. The first one arrives when others wait. */
const awaited = 10;
let service: ServiceProcess;
// Before the database is dropped.
afterAll(() => service?.end("SIGTERM"));
const database = useDatabase();

test("100 subscriptions to events of 2 MB, none of which is shared, receive them one after the other", async () => {
  await database.query(`
    insert into app_public.posts (author_id, title, content, status, published_at)
      select 1, 'Large ' || n, repeat('x', 20000), 'PUBLISHED', now() from generate_series(1, 100) n;
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1)`);
  service = new ServiceProcess({
    ...environment,
    NODE_OPTIONS: `--max-old-space-size=${heapMB} --max-semi-space-size=${semiSpaceMB}`,
    DRAIN_TIMEOUT_MS: "100",
    MIGRATE_ON_START: "false",
    API_DATABASE_URL: database.apiUrl,
  });
  const url = await service.printed(/"url":"(http[^"]+)"/);
  await service.printed(/"msg":"(ready)"/);
  const signed = await createTokenSigner({ secret: environment.JWT_SECRET })?.(people.ada);
  const authToken = signed?.token;
  const followers = new Set<string>();
  const { promise: received, resolve, reject } = Promise.withResolvers<void>();
  service.child.once("exit", () => reject(new Error(service.output.slice(-2_000))));
  const opened = Array.from({ length: sockets }, async (_, place) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    const say = (message: object) => socket.send(JSON.stringify(message));
    socket.on("close", (code) => reject(new Error(`closed with ${code}`)));
    socket.on("error", reject);
    await new Promise((open) => socket.once("open", open));
    say({ type: "connection_init", payload: { authToken } });
    await new Promise((acknowledged) => socket.once("message", acknowledged));
    socket.on("message", (data: Buffer) => {
      const [, type, id = ""] = /^\{"type":"(\w+)","id":"(\w+)"/.exec(data.toString("latin1", 0, 100)) ?? [];
      if (type !== "next" || data.length < 2_000_000) return reject(new Error(data.toString("utf8", 0, 500)));
      if (followers.add(id).size === awaited) resolve();
    });
    for (let id = 0; id < perSocket; id++) {
      const name = `s${place}_${id}`;
      const query = `subscription { messageAdded(chatId: 1) { id sender { ${name}: posts(limit: 100) { content } } } }`;
      say({ type: "subscribe", id: name, payload: { query } });
    }
  });
  await Promise.all(opened);
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  const open = `graphql_subscriptions{transport="websocket"} ${sockets * perSocket}\n`;
  while (!(await metrics()).includes(open)) await Promise.race([received, new Promise(setImmediate)]);
  await database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Hello')");
  await received;
  // Of the heap, one client has an eighth.
  const results = Number(/^client_bytes\{reason="results"\} (\d+)$/m.exec(await metrics())?.[1]);
  expect(results).toBeLessThan((heapMB + 3 * semiSpaceMB) * (2 ** 20 / 8));
});
