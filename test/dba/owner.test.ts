import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { createRoles } from "../../src/migrations/roles.ts";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { type Project, useProject } from "../support/project.ts";
import { onServer } from "../support/template.ts";

/* The DBA's commands for an owner that is no superuser. */
const part = "migrations/current/990-subtitle.sql";
const subtitle = `
  alter table app_public.posts add column if not exists subtitle text;
  comment on column app_public.posts.subtitle is 'The line below the headline.';`;

describe("on a server of its own, with roles that a superuser created", () => {
  const directory = mkdtempSync(join(tmpdir(), "content-service-owner-"));
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    server = await startEmbeddedPostgres({ dataDir: join(directory, "postgres"), throwaway: true });
    await onServer(server.url, "create role owner login createdb password 'owned'");
    await createRoles(server.url);
  }, 60_000);
  const project = useProject(() => `postgres://owner:owned@127.0.0.1:${server.port}/postgres`);
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test("db:check needs an owner that may create databases", async () => {
    await onServer(server.url, "alter role owner nocreatedb");
    expect(await refusal(project, "check")).toBe(
      "The owner may not create databases, which the shadow database needs. Let a superuser run: alter role owner createdb\n",
    );
    await onServer(server.url, "alter role owner createdb");
  });

  test("db:check names the statements that a superuser runs for the owner, and they are enough", async () => {
    const output = await refusal(project, "check");
    expect(output).toContain("Let a superuser run: alter role owner createrole; grant analyst, api_anonymous,");
    await onServer(server.url, /superuser run: (.*) \(docs/.exec(output)?.[1] as string);
    expect(await outputOf(project, "check")).toContain("The review passes.");
  });

  describeWorkflow(project, () => ({}));
});

describe("on a server where another service uses api_login", () => {
  const serverUrl = process.env.TEST_SERVER_URL as string;
  const id = randomUUID().replaceAll("-", "");
  const loginUrl = (name: string) =>
    Object.assign(new URL(serverUrl), { username: `${name}_${id}`, password: name }).href;

  beforeAll(async () => {
    await onServer(serverUrl, `create role owner_${id} login createdb password 'owner'`);
    await onServer(serverUrl, `create role web_${id} login password 'web' in role api_login`);
  });
  const project = useProject(() => loginUrl("owner"));
  afterAll(() => onServer(serverUrl, `drop role owner_${id}, web_${id}`));

  test("db:check says that it needs API_DATABASE_URL", async () => {
    expect(await refusal(project, "check")).toMatch(/^The role api_login of this server has .* set API_DATABASE_URL/m);
    project.environment.API_DATABASE_URL = Object.assign(new URL(loginUrl("web")), {
      pathname: new URL(project.environment.DATABASE_URL as string).pathname,
    }).href;
  });

  describeWorkflow(project, () => ({ API_DATABASE_URL: project.environment.API_DATABASE_URL as string }));
});

function describeWorkflow(project: Project, environment: () => Record<string, string>): void {
  test("the service starts on its empty database", async () => {
    const service = new ServiceProcess({
      DATABASE_URL: project.environment.DATABASE_URL as string,
      JWT_SECRET: "a secret of thirty-two bytes or more, for tests",
      ...environment(),
    });
    expect(await post(await service.url(), "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    await service.end("SIGTERM");
  });

  test("db:migrate, db:status", async () => {
    await outputOf(project, "migrate");
    expect(await outputOf(project, "status")).toMatch(/^Every committed migration has run\./);
  });

  test("db:commit of what the checkout has in migrations/current", async () => {
    const { status, output } = await project.db("commit", "--message", "what was under way");
    if (!output.includes("nothing to commit")) expect({ status, output }).toMatchObject({ status: 0 });
    await project.git("add", "migrations", "schema.graphql");
    await project.git("-c", "user.name=DBA", "-c", "user.email=dba@example.com", "commit", "--quiet", "-m", "Seal");
  });

  test("db:watch", async () => {
    await project.write(part, subtitle);
    const watcher = project.start("watch");
    for await (const text of watcher.stdout ?? []) if (String(text).includes("Press Ctrl-C")) break;
    watcher.kill("SIGINT");
    expect(await once(watcher, "exit")).toEqual([0, null]);
  });

  const commit = () => outputOf(project, "commit", "--message", "posts have a subtitle");
  let file: string | undefined;

  test("db:commit, which reviews", async () => {
    file = /\d+-posts-\S+sql/.exec(await commit())?.[0];
    expect(file).toBeDefined();
  });

  test("db:uncommit", async () => {
    expect(await outputOf(project, "uncommit")).toContain(`${file} is back in migrations/current`);
  });

  test("db:commit again", async () => {
    expect(await commit()).toContain(`${file} is committed`);
  });

  test("db:reset", async () => {
    const name = new URL(project.environment.DATABASE_URL as string).pathname.slice(1);
    expect(await outputOf(project, "reset", "--erase", name)).toContain(`${name} is rebuilt`);
    expect(await outputOf(project, "status")).toMatch(/^Every committed migration has run\./);
  });

  test("db:snapshot", async () => {
    expect(await outputOf(project, "snapshot")).toContain("schema.graphql is unchanged.");
  });
}

async function outputOf(project: Project, ...command: string[]): Promise<string> {
  const { status, output } = await project.db(...command);
  if (status !== 0) throw new Error(output);
  return output;
}

async function refusal(project: Project, ...command: string[]): Promise<string> {
  const { status, output } = await project.db(...command);
  expect({ status, output }).toMatchObject({ status: 1 });
  return output;
}
