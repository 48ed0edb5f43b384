import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { brotliDecompressSync } from "node:zlib";
import { freePort } from "../../tools/support/freePort.ts";
import { postJson } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { testWith } from "../support/machine.ts";
import { Nginx } from "../support/Nginx.ts";

/* deploy/nginx.conf, with Debian's nginx in front of two instances. */
const database = useDatabase();
const started: ServiceProcess[] = [];
let nginx: Nginx | undefined;

afterEach(async () => {
  await nginx?.stop();
  for (const service of started.splice(0)) await service.end("SIGKILL");
});

interface Instance {
  service: ServiceProcess;
  port: number;
}

async function start(settings: Record<string, string> = {}, given?: number): Promise<Instance> {
  const port = given ?? (await freePort());
  const service = new ServiceProcess({
    ...settings,
    DATABASE_URL: database.ownerUrl,
    DATABASE_POOL_SIZE: "4",
    MAINTENANCE_MINUTES: "0",
    LISTEN_AT_START: "false",
    // nginx avoids an upstream for up to two seconds after it has refused a connection.
    STOP_DELAY_MS: "2500",
    PORT: String(port),
  });
  started.push(service);
  await service.url();
  return { service, port };
}

/** Sends mutations and queries in turn, over a keep-alive connection to nginx, with pauses as a person makes them, but shorter. */
async function call(socketPath: string, agent: Agent, isOver: () => boolean) {
  const outcome = { written: 0, failed: [] as string[] };
  const send = (query: string) =>
    postJson("http://content.example.com/graphql", agent, JSON.stringify({ query }), { socketPath }).then(
      ({ text }) => text,
      ({ message }: Error) => message,
    );
  while (!isOver()) {
    const email = `${crypto.randomUUID()}@example.com`;
    const written = await send(`mutation { createUser(name: "Roll", email: "${email}") { id } }`);
    if (/^\{"data":\{"createUser":\{"id"/.test(written)) outcome.written++;
    else outcome.failed.push(written);
    const read = await send('{ user(id: "1") { name } }');
    if (read !== '{"data":{"user":{"name":"Ada"}}}') outcome.failed.push(read);
    await delay(20);
  }
  return outcome;
}

testWith("nginx")(
  "two instances are stopped and started in turn under load: no request fails, no write is lost or doubled",
  async () => {
    const [first, second] = [await start(), await start()];
    nginx = await Nginx.start([first.port, second.port]);
    const { socketPath } = nginx;
    const agent = new Agent({ keepAlive: true });
    let isOver = false;
    const calling = Array.from({ length: 8 }, () => call(socketPath, agent, () => isOver));
    for (const { service, port } of [first, second]) {
      expect(await service.end("SIGTERM")).toBe(0);
      await start({}, port);
    }
    isOver = true;
    const outcomes = await Promise.all(calling);
    agent.destroy();
    expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
    const written = outcomes.reduce((sum, outcome) => sum + outcome.written, 0);
    expect(written).toBeGreaterThan(20);
    const rows = await database.query("select from app_public.users where name = 'Roll'");
    expect(rows).toHaveLength(written);
  },
);

testWith("nginx")(
  "a client is counted by its own address, whatever it writes into X-Forwarded-For, by IPv4 and IPv6",
  async () => {
    const composeFile = readFileSync(new URL("../../deploy/compose.yaml", import.meta.url), "utf8");
    const [, trusted = ""] = /TRUST_PROXY: "(.+)"/.exec(composeFile) ?? [];
    const { port } = await start({ TRUST_PROXY: trusted, RATE_LIMIT_ADDRESS: "5" });
    const free = await freePort();
    nginx = await Nginx.start([port, port], [`127.0.0.1:${free}`, `[::1]:${free}`]);
    for (const host of ["127.0.0.1", "[::1]"]) {
      const statuses: number[] = [];
      for (let i = 0; i < 8; i++) {
        const headers = { "content-type": "application/json", "x-forwarded-for": `10.0.0.${i}, 192.168.1.${i}` };
        const body = JSON.stringify({ query: "{ postsCount }" });
        statuses.push((await fetch(`http://${host}:${free}/graphql`, { method: "POST", headers, body })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    }
  },
);

testWith("nginx")(
  "nginx as a cache keeps encodings and users apart, and asks whether a kept response has changed",
  async () => {
    const { service, port } = await start({ CACHE_SECONDS: "60", RATE_LIMIT_ADDRESS: "1000" });
    const free = await freePort();
    nginx = await Nginx.start([port, port], [`127.0.0.1:${free}`], true);
    const query = `{ users { ${Array.from({ length: 60 }, (_, i) => `n${i}: name`).join(" ")} } }`;
    const url = `http://127.0.0.1:${free}/graphql?${new URLSearchParams({ query })}`;
    const get = async (headers: Record<string, string>) => {
      const sent = request(url, { headers, agent: false }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const body = await buffer(response);
      return { status: response.statusCode, headers: response.headers, body };
    };
    const text = ({ headers, body }: Awaited<ReturnType<typeof get>>) =>
      (headers["content-encoding"] === "br" ? brotliDecompressSync(body) : body).toString();
    const plain = await get({});
    expect([plain.status, plain.headers["x-cache"], plain.headers["content-encoding"]]).toEqual([
      200,
      "MISS",
      undefined,
    ]);
    const kept = async (headers: Record<string, string>) => {
      let response = await get(headers);
      // nginx keeps a response a moment after it has sent it.
      while (response.headers["x-cache"] === "MISS") response = await get(headers);
      expect(response.headers["x-cache"]).toBe("HIT");
      return response;
    };
    const compressed = await get({ "accept-encoding": "br" });
    expect(compressed.headers["x-cache"]).toBe("MISS");
    for (const response of [compressed, await kept({ "accept-encoding": "br" })]) {
      expect(response.headers["content-encoding"]).toBe("br");
      expect(text(response)).toBe(text(plain));
      expect(response.headers["x-ratelimit-limit"]).toBeUndefined();
    }
    expect(text(await kept({}))).toBe(text(plain));
    const known = await get({ "if-none-match": String(plain.headers.etag) });
    expect([known.status, known.body.length]).toEqual([304, 0]);
    const refused = await get({ authorization: "Bearer x" });
    expect([refused.headers["x-cache"], refused.headers["cache-control"]]).toEqual(["MISS", "no-store"]);
    expect(await service.end("SIGTERM")).toBe(0);
  },
);
