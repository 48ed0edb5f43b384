import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useProject } from "../support/project.ts";

/* npm run db:watch beside a running service: save, and the API follows. */
const project = useProject();
const part = "migrations/current/990-subtitle.sql";
let watcher: ChildProcess;
let service: ServiceProcess;
let url: string;

beforeAll(async () => {
  watcher = project.start("watch");
  await said(watcher, "Ctrl-C ends it");
  service = new ServiceProcess({
    DATABASE_URL: project.environment.DATABASE_URL ?? "",
    JWT_SECRET: "a secret of thirty-two bytes or more, for tests",
    LOG_LEVEL: "info",
  });
  url = await service.url();
});
afterAll(() => service.end("SIGTERM"));

/** Resolves as soon as a process has said these words, from now on. */
function said(child: ChildProcess, words: string): Promise<void> {
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
  const followed = said(service.child, "the schema is the database's again");
  await project.write(part, sql);
  await followed;
}

test("a saved change is in the API of the service that runs", async () => {
  await save("alter table app_public.posts add column if not exists subtitle text;");
  expect(await post(url, "{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that does not run is shown, and the service goes on as it was", async () => {
  const shown = said(watcher, "nowhere");
  await project.write(part, "alter table app_public.nowhere add column subtitle text;");
  await shown;
  expect(await post(url, "{ posts(limit: 1) { subtitle } }")).toEqual({ data: { posts: [] } });
});

test("a change that cannot run twice is shown with the way out", async () => {
  await save("create table app_public.drawers (id int primary key);");
  const shown = said(watcher, "let the migration begin by taking back what it makes");
  await project.write(part, "create table app_public.drawers (id bigint primary key);");
  await shown;
});

test("Ctrl-C ends it", async () => {
  const ended = once(watcher, "close");
  watcher.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});
