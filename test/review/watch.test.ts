import { main } from "graphile-migrate-review";
import { project as reviewed } from "../../src/commands/project.ts";
import { copyProject, type Project } from "../../tools/support/copyProject.ts";
import { useService } from "../support/service.ts";

/* npm run db:watch beside a running service: the API follows each save. The program itself and its Ctrl-C: buildIndex.test.ts. */
const service = useService();
const part = "migrations/current/990-subtitle.sql";
const stop = new AbortController();
const lines = new EventTarget();
let project: Project;
let status: Promise<number>;

/** Resolves when the command prints this text from now on. */
function printed(words: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = (event: Event) => {
      if (!(event as CustomEvent<string>).detail.includes(words)) return;
      lines.removeEventListener("line", listen);
      resolve();
    };
    lines.addEventListener("line", listen);
  });
}

beforeAll(async () => {
  project = await copyProject({ DATABASE_URL: service.database.ownerUrl });
  const { directory, environment } = project;
  const print = (line: unknown) => lines.dispatchEvent(new CustomEvent("line", { detail: String(line) }));
  service.database.ends.defer(async () => {
    stop.abort();
    await status;
    await project.remove();
  });
  const started = printed("Press Ctrl-C to stop");
  status = main(["watch"], {
    directory,
    environment,
    project: reviewed,
    output: { log: print, error: print },
    ask: undefined,
    interruption: () => stop.signal,
  });
  await started;
});

async function save(sql: string): Promise<void> {
  const followed = service.told("the schema has been rebuilt from the database");
  await project.write(part, sql);
  await followed;
}

/** Saves, and waits until the command prints this text. */
async function saveUntil(words: string, sql: string): Promise<void> {
  const shown = printed(words);
  await project.write(part, sql);
  await shown;
}

test("a saved change appears in the API of the running service", async () => {
  await save("alter table app_public.posts add column if not exists subtitle text;");
  expect(await service.ask("{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that fails is reported, and the service keeps its schema", async () => {
  await saveUntil("nowhere", "alter table app_public.nowhere add column subtitle text;");
  expect(await service.ask("{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that cannot run twice is reported with the way out", async () => {
  await save("create table app_public.drawers (id int primary key);");
  await saveUntil("begin it by undoing what it creates", "create table app_public.drawers (id bigint primary key);");
});

test("a function that the API leaves out, and one that has another name in it, are reported with the next step", async () => {
  const missing = printed("Do: grant execute on function app_public.count_words(text) to :API_MEMBER");
  await saveUntil(
    "The function app_public.post is Query.postFunction in the API.",
    `create or replace function app_public.count_words(words text) returns int language sql stable
     return array_length(string_to_array(words, ' '), 1);
     create or replace function app_public.post(a int) returns int language sql stable return 1;
     grant execute on function app_public.post(int) to :API_MEMBER;`,
  );
  await missing;
});

test("an interruption ends the command", async () => {
  stop.abort();
  expect(await status).toBe(0);
});
