import { readFileSync } from "node:fs";
import { Agent } from "node:http";
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

/** @param port any free one by default */
async function start(port = 0, settings: Record<string, string> = {}): Promise<Instance> {
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
  return { service, port: Number(new URL(await service.url()).port) };
}

/** Sends mutations and queries in turn, over a keep-alive connection to nginx. */
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
      await start(port);
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
  120_000,
);

testWith("nginx")(
  "a client is counted by its own address, whatever it writes into X-Forwarded-For, by IPv4 and IPv6",
  async () => {
    const composeFile = readFileSync(new URL("../../deploy/compose.yaml", import.meta.url), "utf8");
    const [, trusted = ""] = /TRUST_PROXY: "(.+)"/.exec(composeFile) ?? [];
    const { port } = await start(0, { TRUST_PROXY: trusted, RATE_LIMIT_ADDRESS: "5" });
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
