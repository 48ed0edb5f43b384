import { stat } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { useProject } from "../support/project.ts";

/* The DBA's day, in order: from an empty database to a sealed migration, and back. */
const project = useProject();
const part = "migrations/current/990-subtitle.sql";
let sealed = "";

beforeAll(async () => {
  // What the project itself is in the middle of is not this DBA's.
  const { status, output } = await project.db("commit", "--message", "what was under way");
  if (status !== 0 && !output.includes("nothing to commit")) throw new Error(output);
  await project.git("add", "migrations", "test");
  await project.git("-c", "user.name=DBA", "-c", "user.email=dba@example.com", "commit", "--quiet", "-m", "Seal");
});

async function said(...command: string[]): Promise<string> {
  const { status, output } = await project.db(...command);
  expect({ status, output }).toMatchObject({ status: 0 });
  return output;
}

async function refusal(...command: string[]): Promise<string> {
  const { status, output } = await project.db(...command);
  expect({ status, output }).toMatchObject({ status: 1 });
  return output;
}

test("an empty migrations/current is not committed, and neither is one without a message", async () => {
  expect(await refusal("commit", "--message", "nothing")).toContain("there is nothing to commit");
  expect(await refusal("commit")).toContain('npm run db:commit -- --message "posts can be scheduled"');
});

test("db:migrate runs what is committed", async () => {
  await said("migrate");
  expect(await said("status")).toBe("Every committed migration has run.\nmigrations/current is empty.\n");
});

test("what is not sealed yet is said by db:status", async () => {
  await project.write(
    part,
    `alter table app_public.posts add column if not exists subtitle text;
     comment on column app_public.posts.subtitle is 'The line below the headline.';
     grant insert (subtitle), update (subtitle) on app_public.posts to :API_MEMBER;`,
  );
  expect(await said("status")).toMatch(/Every committed migration has run.*migrations\/current has a change/s);
});

test("db:commit reviews, seals, and writes the snapshot", async () => {
  const output = await said("commit", "--message", "posts have a subtitle");
  expect(output).toContain("Post.subtitle: String is new.");
  sealed = /migrations\/committed\/(\d+-posts-have-a-subtitle\.sql) is sealed/.exec(output)?.[1] ?? "";
  const file = `migrations/committed/${sealed}`;
  expect(await project.read(file)).toContain("add column if not exists subtitle");
  expect((await stat(join(project.directory, file))).mode & 0o777).toBe(0o644);
  expect(await project.read("schema.graphql")).toContain("subtitle: String");
  expect(await said("status")).toContain("migrations/current is empty.");
});

test("a second db:snapshot finds nothing to write, and db:migrate nothing to run", async () => {
  expect(await said("snapshot")).toMatch(/schema\.graphql is as it was\..*analytics\.txt is as it was\./s);
  expect(await said("migrate")).toBe("Nothing to run: every committed migration has run.\n");
});

test("db:uncommit brings it back, and committing it again seals the same", async () => {
  const before = await project.read(`migrations/committed/${sealed}`);
  expect(await said("uncommit")).toContain(`${sealed} is back in migrations/current`);
  expect(await project.read(part)).toContain("add column if not exists subtitle");
  await said("commit", "--message", "posts have a subtitle");
  expect(await project.read(`migrations/committed/${sealed}`)).toBe(before);
});

test("db:reset asks for --erase, and then makes the database anew", async () => {
  expect(await refusal("reset")).toContain("npm run db:reset -- --erase");
  expect(await said("reset", "--erase")).toContain("is made anew");
  expect(await said("status")).toContain("Every committed migration has run.");
});

test("what does not exist, and what a command does not take, is refused with what does", async () => {
  expect(await refusal("migrat")).toContain("npm run db:migrate");
  expect(await refusal("reset", "--force")).toContain("It takes --erase, behind a lone --.");
});

test("a setting that cannot be is refused by name", async () => {
  const { DATABASE_URL, SHADOW_DATABASE_URL } = project.environment;
  project.environment.SHADOW_DATABASE_URL = DATABASE_URL;
  expect(await refusal("check")).toContain("SHADOW_DATABASE_URL: this is DATABASE_URL, and would be dropped.");
  project.environment.SHADOW_DATABASE_URL = "";
  expect(await refusal("check")).toContain("SHADOW_DATABASE_URL: set it to a database of the same server");
  project.environment.DATABASE_URL = "localhost";
  expect(await refusal("status")).toContain("DATABASE_URL: is no connection string");
  Object.assign(project.environment, { DATABASE_URL, SHADOW_DATABASE_URL });
});
