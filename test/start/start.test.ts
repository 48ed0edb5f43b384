import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withClient } from "@content-service/support/withClient.ts";
import { canEnter } from "../../src/embedded/dataDirectory.ts";
import { startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { sampleSignIns } from "../../src/migrations/sampleContent.ts";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { testWith } from "../support/machine.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { startHere } from "../support/startHere.ts";
import { until } from "../support/until.ts";

let dataDir: string;
const started: ServiceProcess[] = [];

beforeEach(() => {
  dataDir = temporaryDirectory("start");
});
afterEach(async () => {
  for (const service of started.splice(0)) await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true, force: true });
});

function start(environment: Record<string, string> = {}, options = {}): ServiceProcess {
  const service = new ServiceProcess({ DATA_DIR: dataDir, ...environment }, options);
  started.push(service);
  return service;
}

const countPosts = async (url: string) => (await post(url, "{ postsCount }")).data.postsCount;

describe("the first start", () => {
  let firstDir: string;
  let first: ServiceProcess;
  let url: string;
  beforeAll(async () => {
    firstDir = temporaryDirectory("first");
    first = new ServiceProcess({ DATA_DIR: firstDir, NODE_COMPILE_CACHE: join(firstDir, "code") });
    url = await first.url();
  });
  afterAll(async () => {
    await first.end("SIGKILL");
    rmSync(firstDir, { recursive: true });
  });

  testWith("curl")("prints a curl command that works, and has sample content", () => {
    const curl = /curl .*/.exec(first.output)?.[0] ?? "";
    const answer = JSON.parse(execFileSync("/bin/sh", ["-c", `${curl} --silent`], { encoding: "utf8" }));
    expect(answer.data.feed).toHaveLength(3);
    expect(answer.data.feed[0]).toEqual({ title: expect.any(String), author: { name: expect.any(String) } });
  });

  testWith("curl")("gives the response that README.md shows", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const [, curl = "", response = ""] = /```sh\n(curl [^`]*)```\n\n```json\n([^`]*)```/.exec(readme) ?? [];
    const here = curl.replace("http://127.0.0.1:4000/graphql", `--silent ${url}`);
    expect(JSON.parse(execFileSync("/bin/sh", ["-c", here], { encoding: "utf8" }))).toEqual(JSON.parse(response));
  });

  test("keeps the compiled code for other instances as soon as it is ready", async () => {
    const kept = () => readdirSync(join(firstDir, "code"), { recursive: true }).length;
    await until(() => kept() > 1000);
    expect(first.isRunning).toBe(true);
  });

  test("prints where the secret lies, and the command that makes a token with it", async () => {
    const command = await first.printed(/Token +(.*npm run token -- 1)/);
    expect(first.output).toContain(`${join(firstDir, "jwt-secret")} signs the tokens`);
    const options = { encoding: "utf8", cwd: fileURLToPath(new URL("../../", import.meta.url)) } as const;
    const token = execFileSync("/bin/sh", ["-c", command.replace("npm run", "npm run -s")], options).trim();
    const answer = await post(url, "{ me { id } }", { authorization: `Bearer ${token}` });
    expect(answer.data).toEqual({ me: { id: "1" } });
  });

  test("gives the users of the sample content the password that GraphiQL offers", async () => {
    const page = await (await fetch(url, { headers: { accept: "text/html" } })).text();
    for (const email of sampleSignIns.emails) {
      expect(page).toContain(`<option>${email}</option>`);
      const query = `mutation { signIn(email: "${email}", password: "${sampleSignIns.password}") { expiresIn } }`;
      expect((await post(url, query)).data.signIn).toEqual({ expiresIn: expect.any(Number) });
    }
  });

  test("prints nothing beside the log for a cursor that the engine refuses", async () => {
    const before = first.output.length;
    const cursor = Buffer.from('["of another order", 1]').toString("base64");
    const answer = await post(url, `{ postsConnection(first: 1, after: "${cursor}") { nodes { id } } }`);
    expect(answer.errors?.[0]?.extensions.validationErrors).toMatchObject([{ field: "after", code: "CURSOR" }]);
    const lines = first.output.slice(before).split("\n").filter(Boolean);
    expect(lines.filter((line) => !line.startsWith("{"))).toEqual([]);
  });

  test("goes on when a second one on the same directory is refused", async () => {
    await expect(startHere({ DATA_DIR: firstDir })).rejects.toThrow(
      `Another service is using ${join(firstDir, "postgres")}`,
    );
    expect(await countPosts(url)).toBeGreaterThan(0);
  });

  test("keeps what it has committed, when kill -9 ends it", async () => {
    const created = await post(url, `mutation { createUser(name: "Kept", email: "kept@example.com") { id } }`);
    await first.end("SIGKILL");
    await using second = await startHere({ DATA_DIR: firstDir });
    const found = await post(second.url, `{ user(id: "${created.data.createUser.id}") { name } }`);
    expect(found.data).toEqual({ user: { name: "Kept" } });
  });
});

describe("npm start", () => {
  test("names a port that is in use, and the setting to change it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const service = start({ PORT: String(port) });
    expect(await service.end()).toBe(1);
    // One line, without a stack.
    expect(service.output).toBe(
      `Port ${port} is taken by another program. Choose another one: PORT=${port + 1} npm start\n`,
    );
    taken.close();
  });

  const nobody = { uid: 65_534, gid: 65_534 };
  const canBeNobody = process.getuid?.() === 0 && canEnter(nobody, fileURLToPath(new URL("../..", import.meta.url)));
  // Only root can start a process as another user. Without root, every test here already runs as an ordinary user.
  test("works for an ordinary user too; Ctrl-C ends it and its database, which keeps what was committed", async () => {
    const postgres = join(dataDir, "postgres");
    copyMadeDatabase(postgres);
    if (canBeNobody) execFileSync("chown", ["-R", `${nobody.uid}:${nobody.gid}`, dataDir]);
    const service = start({}, canBeNobody ? nobody : {});
    const created = await post(
      await service.url(),
      `mutation { createUser(name: "Kept", email: "kept@example.com") { id } }`,
    );
    expect(await service.end("SIGINT")).toBe(0);
    expect(existsSync(join(postgres, "cluster", "data", "postmaster.pid"))).toBe(false);
    const database = await startEmbeddedPostgres(postgres);
    const kept = await withClient(database.url, (client) =>
      client.query("select max(id)::text as id from app_public.users"),
    );
    await database.stop();
    expect(kept.rows).toEqual([created.data.createUser]);
  });
});

describe("with DATABASE_URL", () => {
  const database = useDatabase();
  test("serves that database, without sample content and sample users, and no more WebSockets than WEBSOCKET_CONNECTIONS", async () => {
    await using service = await startHere({
      DATABASE_URL: database.ownerUrl,
      DATA_DIR: dataDir,
      WEBSOCKET_CONNECTIONS: "0",
    });
    const { data } = await post(service.url, "{ postsCount users { name } }");
    const page = await (await fetch(service.url, { headers: { accept: "text/html" } })).text();
    expect(page).not.toContain(sampleSignIns.password);
    expect(data).toEqual({ postsCount: 0, users: ["Ada", "Bob", "Admin", "Mallory"].map((name) => ({ name })) });
    const socket = await RawSocket.open(service.url);
    expect(await socket.status).toBe(503);
  });
});

describe("settings", () => {
  test("are checked first, and every invalid one is named", async () => {
    const wrong = { PORT: "many", DATABASE_URL: "mysql://x", JWT_SECRET: "short", LOG_LEVEL: "loud" };
    const refusal = await startHere({ DATA_DIR: dataDir, ...wrong }).catch((error: Error) => error.message);
    for (const name of Object.keys(wrong)) expect(refusal).toContain(`  ${name}: `);
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  test("of mails are checked, also together", async () => {
    const mail = { SMTP_URL: "mail.example.com", MAIL_FROM: "Example", APP_URL: "example.com" };
    const refusal = await startHere({ DATA_DIR: dataDir, ...mail }).catch((error: Error) => error.message);
    for (const name of Object.keys(mail)) expect(refusal).toContain(`  ${name}: is `);
    const without = startHere({ DATA_DIR: dataDir, SMTP_URL: "smtp://mail.example.com" });
    await expect(without).rejects.toThrow(/^ {2}MAIL_FROM: SMTP_URL needs it[\s\S]*^ {2}APP_URL: SMTP_URL needs it/m);
  });

  test("in production, neither the embedded database nor a default secret is allowed", async () => {
    const starting = startHere({ DATA_DIR: dataDir, NODE_ENV: "production" });
    await expect(starting).rejects.toThrow(
      /^ {2}JWT_SECRET: production needs one[\s\S]*^ {2}DATABASE_URL: production needs one/m,
    );
  });
});
