import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { canEnter } from "../../src/embedded/place.ts";
import { sampleSignIns } from "../../src/migrations/sampleContent.ts";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { RawSocket } from "../support/RawSocket.ts";

let dataDir: string;
const started: ServiceProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "content-service-start-"));
  // The unprivileged user of a test below needs access.
  chmodSync(dataDir, 0o777);
});
afterEach(async () => {
  for (const service of started.splice(0)) await service.end("SIGTERM");
  rmSync(join(dataDir), { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}, options = {}): ServiceProcess {
  const service = new ServiceProcess({ DATA_DIR: dataDir, ...environment }, options);
  started.push(service);
  return service;
}

const countPosts = async (url: string) => (await post(url, "{ postsCount }")).data.postsCount;

describe("npm start", () => {
  test("prints a curl command that works, and a first start has sample content", async () => {
    const service = start();
    await service.url();
    const curl = /curl .*/.exec(service.output)?.[0] ?? "";
    const answer = JSON.parse(execFileSync("/bin/sh", ["-c", `${curl} --silent`], { encoding: "utf8" }));
    expect(answer.data.feed).toHaveLength(3);
    expect(answer.data.feed[0]).toEqual({ title: expect.any(String), author: { name: expect.any(String) } });
  });

  test("prints where the secret lies, and the command that makes a token with it", async () => {
    const service = start();
    const url = await service.url();
    const command = await service.printed(/Token +(.*npm run token -- 1)/);
    expect(service.output).toContain(`${join(dataDir, "jwt-secret")} signs the tokens`);
    const options = { encoding: "utf8", cwd: fileURLToPath(new URL("../../", import.meta.url)) } as const;
    const token = execFileSync("/bin/sh", ["-c", command.replace("npm run", "npm run -s")], options).trim();
    const answer = await post(url, "{ me { id } }", { authorization: `Bearer ${token}` });
    expect(answer.data).toEqual({ me: { id: "1" } });
  });

  test("the users of the sample content have the password that GraphiQL offers", async () => {
    const url = await start().url();
    const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
    for (const email of sampleSignIns.emails) {
      expect(page).toContain(`<option>${email}</option>`);
      const query = `mutation { signIn(email: "${email}", password: "${sampleSignIns.password}") { expiresIn } }`;
      expect((await post(url, query)).data.signIn).toEqual({ expiresIn: expect.any(Number) });
    }
  });

  test("Ctrl-C ends the service and its database cleanly, and the next start finds the data", async () => {
    const first = start();
    const count = await countPosts(await first.url());
    expect(await first.end("SIGINT")).toBe(0);
    expect(existsSync(join(dataDir, "postgres", "cluster", "data", "postmaster.pid"))).toBe(false);
    expect(await countPosts(await start().url())).toBe(count);
  });

  test("data committed before a kill -9 of the service is there after the next start", async () => {
    const first = start();
    const url = await first.url();
    const created = await post(url, `mutation { createUser(name: "Kept", email: "kept@example.com") { id } }`);
    await first.end("SIGKILL");
    const { data } = await post(await start().url(), `{ user(id: "${created.data.createUser.id}") { name } }`);
    expect(data).toEqual({ user: { name: "Kept" } });
  });

  test("a second start on the same directory prints the reason, and the first service goes on", async () => {
    const first = start();
    const url = await first.url();
    const second = start();
    expect(await second.end()).toBe(1);
    expect(second.output).toContain(`Another service is using ${join(dataDir, "postgres")}`);
    expect(second.output).not.toContain("    at ");
    expect(await countPosts(url)).toBeGreaterThan(0);
  });

  test("names a port that is in use, and the setting to change it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const service = start({ PORT: String(port) });
    expect(await service.end()).toBe(1);
    expect(service.output).toContain(
      `Port ${port} is taken by another program. Choose another one: PORT=${port + 1} npm start`,
    );
    taken.close();
  });

  const isRoot = process.getuid?.() === 0;
  const nobody = { uid: 65_534, gid: 65_534 };
  const canBeNobody = isRoot && canEnter(nobody, fileURLToPath(new URL("../..", import.meta.url)));
  // Only root can start a process as another user. Without root, every test here already runs as an ordinary user.
  (canBeNobody ? test : test.skip)("works for an ordinary user too", async () => {
    const service = start({}, nobody);
    expect(await countPosts(await service.url())).toBeGreaterThan(0);
  });

  (isRoot ? test : test.skip)(
    "as root in a directory that other users cannot enter, the data is in another place, with a link",
    async () => {
      chmodSync(dataDir, 0o700);
      expect(await countPosts(await start().url())).toBeGreaterThan(0);
      const place = realpathSync(join(dataDir, "postgres"));
      expect(place.startsWith(dataDir)).toBe(false);
      for (const service of started.splice(0)) await service.end("SIGTERM");
      rmSync(place, { recursive: true });
    },
  );
});

describe("with DATABASE_URL", () => {
  const database = useDatabase();

  test("serves that database, without sample content and sample users", async () => {
    const service = start({ DATABASE_URL: database.ownerUrl });
    const { data } = await post(await service.url(), "{ postsCount users { name } }");
    const page = await (await fetch(await service.url(), { headers: { accept: "text/html" } })).text();
    expect(page).not.toContain(sampleSignIns.password);
    expect(data).toEqual({ postsCount: 0, users: ["Ada", "Bob", "Admin", "Mallory"].map((name) => ({ name })) });
  });
});

describe("settings", () => {
  test("are checked first, and every invalid one is named", async () => {
    const service = start({ PORT: "many", DATABASE_URL: "mysql://x", JWT_SECRET: "short", LOG_LEVEL: "loud" });
    expect(await service.end()).toBe(1);
    for (const name of ["PORT", "DATABASE_URL", "JWT_SECRET", "LOG_LEVEL"])
      expect(service.output).toContain(`  ${name}: `);
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  test("limit the WebSockets", async () => {
    const service = start({ WEBSOCKET_CONNECTIONS: "0" });
    const socket = await RawSocket.open(await service.url());
    expect(await socket.status).toBe(503);
  });

  test("in production, neither the embedded database nor a default secret is allowed", async () => {
    const service = start({ NODE_ENV: "production" });
    expect(await service.end()).toBe(1);
    expect(service.output).toContain("  JWT_SECRET: production needs one");
    expect(service.output).toContain("  DATABASE_URL: production needs one");
  });
});
