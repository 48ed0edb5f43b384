import { rmSync } from "node:fs";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { createRoles } from "../../src/migrations/roles.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { useProject } from "../support/project.ts";
import { onServer } from "../support/template.ts";

/* What an owner lacks for db:check, on a server of its own with roles that a superuser created. The other commands: commands.test.ts. */
const dataDir = temporaryDirectory("owner");
let server: EmbeddedPostgres;

beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir, throwaway: true });
  await onServer(server.url, "create role owner login createdb password 'owned'");
  await createRoles(server.url);
});
const project = useProject({ login: () => `postgres://owner:owned@127.0.0.1:${server.port}/postgres` });
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function refusal(): Promise<string> {
  const { status, output } = await project.db("check");
  expect({ status, output }).toMatchObject({ status: 1 });
  return output;
}

test("db:check needs an owner that may create databases", async () => {
  await onServer(server.url, "alter role owner nocreatedb");
  expect(await refusal()).toBe(
    "The owner may not create databases, which the shadow database needs. Let a superuser run: alter role owner createdb\n",
  );
  await onServer(server.url, "alter role owner createdb");
});

test("db:check names the statements that a superuser runs for the owner, and they are enough", async () => {
  const output = await refusal();
  expect(output).toContain("Let a superuser run: alter role owner createrole; grant analyst, api_anonymous,");
  await onServer(server.url, /superuser run: (.*) \(docs/.exec(output)?.[1] as string);
  const review = await project.db("check");
  expect(review.output).toContain("The review passes.");
  expect(review.status).toBe(0);
});
