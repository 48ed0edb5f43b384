import { once } from "node:events";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { commitReviewed } from "../../packages/migration-review/commands/commit.ts";
import { openDatabases } from "../../packages/migration-review/commands/databases.ts";
import type { Context } from "../../packages/migration-review/Project.ts";
import { withShadow } from "../../packages/migration-review/shadow.ts";
import { project as served } from "../../src/commands/project.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { commandLine, migrationsIn } from "../../src/database/migrations.ts";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { copyMadeDatabase, temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { holdLock } from "../../tools/support/holdLock.ts";
import { post } from "../../tools/support/post.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { useProject } from "../support/project.ts";
import { startHere } from "../support/startHere.ts";
import { createOwner, databaseUrl, onServer } from "../support/template.ts";

/*
 * The DBA's commands in order, for an owner that is no superuser, on a server with roles that a superuser created: from an empty
 * database to a committed migration, and back.
 */
const part = "migrations/current/990-subtitle.sql";
const dataDir = temporaryDirectory("owner");
const loginUrl = (name: string, database = "postgres") =>
  Object.assign(new URL(databaseUrl(server.url, database)), { username: name, password: name }).href;
let server: EmbeddedPostgres;
let committed = "";

beforeAll(async () => {
  copyMadeDatabase(dataDir);
  server = await startThrowAwayPostgres(dataDir);
  await createOwner(server.url, "owner");
  await onServer(server.url, "alter role api_login nologin; create role web login password 'web' in role api_login");
});
const project = useProject({ login: () => loginUrl("owner") });
const databaseName = () => new URL(project.environment.DATABASE_URL as string).pathname.slice(1);
const asSuperuser = (sql: string) => onServer(databaseUrl(server.url, databaseName()), sql);
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** The output of a command that ends with this exit status. */
const ending =
  (expected: number) =>
  async (...command: string[]): Promise<string> => {
    const { status, output } = await project.db(...command);
    expect({ status, output }).toMatchObject({ status: expected });
    return output;
  };
const outputOf = ending(0);
const refusal = ending(1);
const misuse = ending(2);

/** Commits `migrations/current` as db:commit does after its review (test/review/check.test.ts). @returns the printed lines */
async function commitReviewedChange(message: string): Promise<string[]> {
  const { directory, environment } = project;
  const printed: string[] = [];
  const log = (line: string) => printed.push(line);
  const databases = await openDatabases(environment, served);
  const output = { log, error: log };
  const migrations = migrationsIn(join(directory, "migrations"));
  const context = {
    directory,
    environment,
    project: served,
    migrations,
    commandLine,
    databases,
    output,
  } as unknown as Context;
  await withShadow(context, (shadowUrl) => commitReviewed(context, shadowUrl, message, []));
  return printed;
}

test("db:check needs an owner that may create databases", async () => {
  await onServer(server.url, "alter role owner nocreatedb");
  expect(await refusal("check")).toBe(
    "The owner may not create databases, which the shadow database needs. Let a superuser run: alter role owner createdb\n",
  );
  await onServer(server.url, "alter role owner createdb");
});

test("db:check names the statements that a superuser runs for the owner, and they are enough", async () => {
  const output = await refusal("check");
  expect(output).toContain("Let a superuser run: alter role owner createrole; grant analyst, api_anonymous,");
  const [, statements = "", granted] = /superuser run: (.* grant (.*) to owner .*) \(docs/.exec(output) ?? [];
  await onServer(server.url, statements);
  await ensureRoles(project.environment.DATABASE_URL as string);
  // The commands below do without.
  await onServer(server.url, `alter role owner nocreaterole; revoke ${granted} from owner`);
});

test("db:check says that it needs API_DATABASE_URL, where another service uses api_login", async () => {
  await onServer(server.url, "alter role api_login password 'other'");
  expect(await refusal("check")).toMatch(/^The role api_login of this server has .* set API_DATABASE_URL/m);
  // Every command below builds the API with it.
  project.environment.API_DATABASE_URL = loginUrl("web", databaseName());
});

test("a db:migrate whose connection is killed says so without a stack trace", async () => {
  const lock = await holdLock(project.environment.DATABASE_URL as string, "create schema graphile_migrate");
  const program = project.start("migrate");
  const ended = Promise.all([text(program.stderr as Readable), once(program, "close")]);
  await lock.somebodyWaits();
  await lock.run("select pg_terminate_backend(pid) from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))");
  const [stderr, [status]] = await ended;
  await lock.release();
  expect(stderr).toMatch(/^Could not run: .*\n$/);
  expect(status).toBe(3);
});

test("db:migrate runs the committed migrations", async () => {
  expect(await outputOf("migrate")).toMatch(/^Ran 000001-/);
});

test("the service starts on the migrated database", async () => {
  await using started = await startHere({
    DATABASE_URL: project.environment.DATABASE_URL,
    API_DATABASE_URL: project.environment.API_DATABASE_URL,
    JWT_SECRET: "a secret of thirty-two bytes or more, for tests",
  });
  expect(await post(started.url, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
});

test("db:commit of what the checkout has in migrations/current", async () => {
  const { status, output } = await project.db("commit", "--message", "what was under way");
  if (!output.includes("nothing to commit")) expect({ status, output }).toMatchObject({ status: 0 });
  await project.seal("Seal");
});

test("db:commit refuses an empty migrations/current, a missing message, and an allowance without a reason", async () => {
  expect(await refusal("commit", "--message", "nothing", "--allow", "exposed")).toContain(
    "--allow 'exposed because …'",
  );
  expect(await refusal("commit", "--message", "nothing")).toContain("there is nothing to commit");
  expect(await refusal("commit")).toContain('npm run db:commit -- --message "posts can be scheduled"');
});

test("db:status says who may connect or lock too much, what the checkout lacks, and what needs a commit, until it is repaired", async () => {
  const grant = "execute on function pg_catalog.pg_advisory_lock(bigint)";
  await asSuperuser(`grant ${grant} to public`);
  await asSuperuser(`grant connect on database ${databaseName()} to public`);
  await asSuperuser("insert into graphile_migrate.migrations (hash, filename) values ('sha1:x', '000998.sql')");
  await project.write(part, "select 1;\n");
  const { status, output } = await project.db("status");
  expect(status).toBe(1);
  expect(output).toContain(
    `The database ${databaseName()}: every login of the server may connect, so analysts of other databases read this one too.\n` +
      "  Repair: select app_private.revoke_default_rights()\n",
  );
  expect(output).toContain("Analysts can take advisory locks, and so stop the service.");
  expect(output).toMatch(
    /^Every committed migration has run\..*that this checkout does not have:\n {2}000998\.sql\nmigrations\/current has a change/s,
  );
  await asSuperuser("select app_private.revoke_default_rights()");
  await asSuperuser("delete from graphile_migrate.migrations where filename = '000998.sql'");
  await project.write(part, "");
  expect(await outputOf("status")).toMatch(
    /^Every committed migration has run\.\nmigrations\/current is empty\.\nNot tried, because no row has a key: the streams .*\.\n$/,
  );
});

test("db:check prints what migrations/README.md shows", async () => {
  const readme = await readFile(new URL("../../migrations/README.md", import.meta.url), "utf8");
  const shown = /```text\n(Who reads it.*?)```/s.exec(readme)?.[1]?.replace("100-subtitle", "990-subtitle") ?? "";
  await project.write(
    part,
    `set local lock_timeout = '50ms';
     alter table app_public.posts add column if not exists subtitle text;
     comment on column app_public.posts.subtitle is 'The line below the headline.';
     select conventions.allow_writing('app_public.posts', '{subtitle}',
       on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');`,
  );
  // This owner is without the roles of callers.
  const output = (await project.db("check")).output
    .replace(/^.*:\n {2}no findings\.\n/gm, "")
    .replace(/^Rows and rights.*\n {2}safe +The owner may not take the roles of callers.*\n/m, "");
  expect(output).toBe(shown);
});

test("what has been reviewed is committed and has run, and the snapshots are written", async () => {
  const output = await commitReviewedChange("posts have a subtitle");
  committed = /migrations\/committed\/(\d+-posts-have-a-subtitle\.sql) is committed/.exec(output.join("\n"))?.[1] ?? "";
  const file = `migrations/committed/${committed}`;
  expect(await project.read(file)).toContain("add column if not exists subtitle");
  expect((await stat(join(project.directory, file))).mode & 0o777).toBe(0o644);
  expect(await project.read("schema.graphql")).toContain("subtitle: String");
  expect(await outputOf("migrate")).toBe("Nothing to run: every committed migration has run.\n");
});

test("db:uncommit moves it back, and committing it again waits for a locked table, gives the same file, and changes no snapshot", async () => {
  const before = await project.read(`migrations/committed/${committed}`);
  expect(await outputOf("uncommit")).toBe(
    `${committed} (in no commit) is back in migrations/current. The database keeps its changes.\n` +
      "Another database that has run it will refuse what you commit instead.\n",
  );
  expect(await project.read(part)).toContain("add column if not exists subtitle");
  const lock = await holdLock(
    project.environment.DATABASE_URL as string,
    "lock table app_public.posts in access share mode",
  );
  const again = commitReviewedChange("posts have a subtitle");
  await lock.somebodyWaits();
  await lock.nobodyWaits();
  await lock.release();
  expect(await again).toEqual(
    expect.arrayContaining([`migrations/committed/${committed} is committed.`, "The snapshots are unchanged."]),
  );
  expect(await project.read(`migrations/committed/${committed}`)).toBe(before);
});

test("two branches with one number: both are named with their commits, and db:renumber gives one the next number", async () => {
  await project.seal("Subtitles");
  const [other, next] = [committed.replace("posts-have-a-subtitle", "zzz"), "000999-later.sql"];
  const text = await project.read(`migrations/committed/${committed}`);
  await project.write(`migrations/committed/${other}`, text);
  const hash = /^--! Hash: (.*)/m.exec(text)?.[1] ?? "";
  await project.write(`migrations/committed/${next}`, text.replace(/^--! Previous: .*/m, `--! Previous: ${hash}x`));
  expect(await refusal("status")).toMatch(
    new RegExp(
      `^migrations/committed/${committed} \\(\\w+ Subtitles\\) and .*/${other} \\(in no commit\\) have one number: .* ${other}\n$`,
    ),
  );
  expect(await refusal("renumber", "nowhere.sql")).toContain("migrations/committed has no nowhere.sql");
  const number = Number.parseInt(committed, 10);
  const files = [`0000${number + 1}-zzz.sql`, `0000${number + 2}-later.sql`];
  expect(await outputOf("renumber", `migrations/committed/${other}`)).toBe(
    `${other} is ${files[0]}.\n${next} is ${files[1]}.\n`,
  );
  expect(await outputOf("status")).toContain(`for npm run db:migrate to run:\n  ${files.join("\n  ")}\n`);
  for (const file of files) await rm(join(project.directory, "migrations/committed", file));
});

test("a commit that fails on the database names the file and the line, leaves migrations/current as it was, and no file", async () => {
  const url = project.environment.DATABASE_URL as string;
  const change =
    "--!include functions/odd.sql\n\ncreate type app_hidden.odd as enum ();\ncomment on type app_hidden.odd is 'Odd.';\n";
  const odd = (type: string) =>
    project.write("migrations/fixtures/functions/odd.sql", `-- Odd.\nselect null::app_hidden.${type};\n`);
  await project.write(part, `\n${change}`);
  await odd("nowhere");
  const tried = await refusal("snapshot");
  expect(tried).not.toMatch(/\bat .*\.(js|ts):\d/);
  expect(tried).toMatch(
    new RegExp(
      `^migrations/fixtures/functions/odd.sql:2, included by ${part}:2: type "app_hidden.nowhere" does not exist`,
      "m",
    ),
  );
  await project.write("migrations/fixtures/functions/odd.sql", "select 1;\n");
  await onServer(url, "create type app_hidden.odd as enum ()");
  await expect(commitReviewedChange("odd")).rejects.toThrow(
    /^migrations\/committed\/\d{6}-odd\.sql: type "odd" already exists\nThe change was rolled back\.$/,
  );
  expect((await readdir(join(project.directory, "migrations/committed"))).at(-1)).toBe(committed);
  expect(await project.read(part)).toBe(`\n${change}`);
  await project.write(part, "");
  await onServer(url, "drop type app_hidden.odd");
});

test.each([
  [
    "snapshot",
    "create index concurrently odd_idx on app_public.posts (title);",
    "CREATE INDEX CONCURRENTLY cannot run",
    "npm run db:index",
  ],
  [
    "snapshot",
    "alter table app_public.posts alter column excerpt type varchar(90);",
    "cannot alter type of a column",
    "drop trigger _200_validate",
  ],
  [
    "check",
    "create view app_public.odd as select array_position('[]'::jsonb, 'a') as x;",
    "function array_position(jsonb, unknown)",
    "Cast the values",
  ],
])("what PostgreSQL refuses has its line and advice: db:%s of %s", async (command, sql, message, advice) => {
  await project.write(part, `-- Odd.\nselect 1;\n\n${sql}\n`);
  const refused = await refusal(command);
  expect(refused).toContain(`${part}:4: ${message}`);
  expect(refused).toContain(advice);
  await project.write(part, "");
});

test("db:reset names the database and its rows, requires the name, and then rebuilds the database", async () => {
  const name = databaseName();
  const { host } = new URL(project.environment.DATABASE_URL ?? "");
  expect(await refusal("reset")).toMatch(
    new RegExp(`database ${name} on ${host} .*about \\d+ in \\w+.*npm run db:reset -- --erase ${name}`, "s"),
  );
  expect(await refusal("reset", "--erase", "production")).toContain(`This drops the database ${name}`);
  // The owner is no superuser, and does not see what other logins do.
  const connection = await holdLock(loginUrl("web", name), "select 1");
  expect(await refusal("reset", "--erase", name)).toContain(
    `Others are using the database ${name}: a connection as web.`,
  );
  await connection.release();
  expect(await outputOf("reset", "--erase", name)).toContain(`${name} is rebuilt`);
  expect(await outputOf("migrate")).toBe("Nothing to run: every committed migration has run.\n");
});

test("--help prints the options, and an unreachable server is named without a stack trace", async () => {
  expect(await outputOf("check", "--help")).toBe(
    "npm run db:check: Its options are --base, --allow, --rows, --all, --json: npm run db:check -- --base …\n",
  );
  const { DATABASE_URL } = project.environment;
  project.environment.DATABASE_URL = "postgres://owner:owned@127.0.0.1:1/content";
  expect(await ending(3)("status")).toBe(
    "Could not run: connect ECONNREFUSED 127.0.0.1:1 (the database at 127.0.0.1, within 5 s).\n",
  );
  Object.assign(project.environment, { DATABASE_URL });
});

test("an unknown command or option is refused with the list of known ones", async () => {
  expect(await misuse("migrat")).toContain("npm run db:migrate");
  expect(await misuse("reset", "--force")).toContain("Its options are --erase: npm run db:reset -- --erase …");
});

test("a database with content is never taken for a shadow database, however its URL spells the host", async () => {
  const { DATABASE_URL = "", SHADOW_DATABASE_URL } = project.environment;
  project.environment.SHADOW_DATABASE_URL = DATABASE_URL.replace("127.0.0.1", "localhost");
  expect(project.environment.SHADOW_DATABASE_URL).not.toBe(DATABASE_URL);
  expect(await refusal("check")).toContain("is not marked as a shadow database, so it is not dropped");
  project.environment.SHADOW_DATABASE_URL = SHADOW_DATABASE_URL;
  expect(await outputOf("migrate")).toBe("Nothing to run: every committed migration has run.\n");
});

test("an invalid setting is refused by name", async () => {
  const { DATABASE_URL, SHADOW_DATABASE_URL } = project.environment;
  project.environment.SHADOW_DATABASE_URL = DATABASE_URL;
  expect(await refusal("check")).toContain("SHADOW_DATABASE_URL: it equals DATABASE_URL, which would be dropped.");
  project.environment.SHADOW_DATABASE_URL = "";
  expect(await refusal("check")).toContain("SHADOW_DATABASE_URL: set it to a database of the same server");
  project.environment.DATABASE_URL = "localhost";
  expect(await refusal("status")).toContain("DATABASE_URL: not a connection string");
  Object.assign(project.environment, { DATABASE_URL, SHADOW_DATABASE_URL });
});
