import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useProject } from "../support/project.ts";

/* npm run db:watch beside a running service: the API follows each save. */
const project = useProject({ isMigrated: true });
const part = "migrations/current/990-subtitle.sql";
let watcher: ChildProcess;
let service: ServiceProcess;
let url: string;

beforeAll(async () => {
  watcher = project.start("watch");
  await printed(watcher, "Press Ctrl-C to stop");
  service = new ServiceProcess({
    DATABASE_URL: project.environment.DATABASE_URL ?? "",
    JWT_SECRET: "a secret of thirty-two bytes or more, for tests",
    LOG_LEVEL: "info",
  });
  url = await service.url();
});
afterAll(() => service.end("SIGTERM"));

/** Resolves when a process prints this text from now on. */
function printed(child: ChildProcess, words: string): Promise<void> {
  return new Promise((resolve) => {
    let heard = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk) => {
        heard += chunk;
        if (heard.includes(words)) resolve();
      });
    }
  });
}

async function save(sql: string): Promise<void> {
  const followed = printed(service.child, "the schema has been rebuilt from the database");
  await project.write(part, sql);
  await followed;
}

test("a saved change appears in the API of the running service", async () => {
  await save("alter table app_public.posts add column if not exists subtitle text;");
  expect(await post(url, "{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that fails is reported, and the service keeps its schema", async () => {
  const shown = printed(watcher, "nowhere");
  await project.write(part, "alter table app_public.nowhere add column subtitle text;");
  await shown;
  expect(await post(url, "{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that cannot run twice is reported with the way out", async () => {
  await save("create table app_public.drawers (id int primary key);");
  const shown = printed(watcher, "begin it by undoing what it creates");
  await project.write(part, "create table app_public.drawers (id bigint primary key);");
  await shown;
});

test("a function that the API leaves out is reported with the reason and the next step", async () => {
  const shown = printed(watcher, "Do: grant execute on function app_public.count_words(text) to :API_MEMBER");
  await project.write(
    part,
    `create or replace function app_public.count_words(words text) returns int language sql stable
     return array_length(string_to_array(words, ' '), 1);`,
  );
  await shown;
});

test("two things with one name in the API are reported with both", async () => {
  const shown = printed(
    watcher,
    "Post.title is the name of the column app_public.posts.title and of the column app_public.posts.excerpt.",
  );
  await project.write(part, "comment on column app_public.posts.excerpt is '@name title';");
  await shown;
});

test("Ctrl-C stops the command", async () => {
  const ended = once(watcher, "close");
  watcher.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});
