import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { commitTo } from "../../../test/support/migrationsFolder.ts";
import { checkOut, copyProject } from "../../support/copyProject.ts";
import { post } from "../../support/post.ts";
import { ServiceProcess } from "../../support/ServiceProcess.ts";
import { Arena } from "../Arena.ts";
import { Callers } from "../Callers.ts";
import { Listener } from "../Listener.ts";
import { environment } from "../Service.ts";
import { tally } from "../tally.ts";
import type { Outcome } from "./Outcome.ts";

/** Additions of a next release that `npm run db:check` calls harmless. */
const additions = ["own", "harmless"].map((name) => new URL(`../../fuzz/migrations/${name}.sql`, import.meta.url));
const pauseMs = 50;
/** A service that serves nothing for this time is given up. */
const patienceMs = 60_000;
/** How long both releases serve together, each time. */
const togetherMs = 3_000;

/**
 * Rolls the service from one release to the next, and back, on one database under load, with a chat open: the new release starts on the
 * database of the old one and migrates it, and the old one serves on, and starts again, on the new tables.
 * The old release is the newest tag, or the last commit where there is none.
 */
export async function releases(arena: Arena): Promise<Outcome> {
  const revision = newestTag() ?? "HEAD";
  await using rest = new AsyncDisposableStack();
  await arena.query("create database releases");
  rest.defer(async () => void (await arena.query("drop database releases with (force)")));
  const urlOf = (url: string) => changeConnection(url, { database: "releases" });
  const database = {
    ...arena.database,
    ownerUrl: urlOf(arena.database.ownerUrl),
    apiUrl: urlOf(arena.database.apiUrl),
  };
  const here = new Arena(database, arena.service);
  const old = await checkOut(revision);
  rest.defer(() => rm(old, { recursive: true }));
  const next = rest.adopt(await copyProject({}), (project) => project.remove());
  for (const file of additions) await commitTo(join(next.directory, "migrations"), readFileSync(file, "utf8"));

  /** The URLs of the instances that a load balancer sends requests to. */
  const ready: string[] = [];
  const start = async (checkout: string) => {
    const { ownerUrl, apiUrl } = database;
    const settings = {
      ...environment,
      DATABASE_URL: ownerUrl,
      API_DATABASE_URL: apiUrl,
      STOP_DELAY_MS: "500",
    };
    const service = rest.adopt(
      new ServiceProcess(settings, { checkout }),
      async (each) => void (await each.end("SIGKILL")),
    );
    const url = await service.printed(/"url":"(http[^"]+)"/);
    const giveUp = AbortSignal.timeout(patienceMs);
    while (!(await isReady(url))) {
      giveUp.throwIfAborted();
      await delay(pauseMs);
    }
    ready.push(url);
    return { service, url };
  };
  const stop = async ({ service, url }: Awaited<ReturnType<typeof start>>) => {
    ready.splice(ready.indexOf(url), 1);
    if ((await service.end("SIGTERM")) !== 0) faults["unclean ends"] += 1;
  };
  const faults = { "unclean ends": 0, "messages not sent": 0 };
  let turn = 0;
  const choose = () => ready[turn++ % ready.length] as string;

  const first = await start(old);
  const chatId = await here.openChat(4);
  const userIds = await here.users(4);
  const tokens = await Promise.all(userIds.map(async (id) => (await here.service.sign(id, 3_600)).token));
  const listeners = tokens.map(
    (token) => new Listener(() => `${choose().replace("http", "ws")}/graphql`, token, chatId),
  );
  let isOver = false;
  const chatting = (async () => {
    while (!isOver) {
      const authorization = `Bearer ${tokens[turn % tokens.length]}`;
      const sent = await post(
        `${choose()}/graphql`,
        `mutation { sendMessage(chatId: "${chatId}", text: "Hello") { id } }`,
        { authorization },
      ).catch(() => undefined);
      if (!sent?.data?.sendMessage) faults["messages not sent"] += 1;
      await delay(pauseMs);
    }
  })();
  while (!listeners.every(({ ids }) => ids.length > 0)) await delay(pauseMs);
  const callers = new Callers({ url: () => `${choose()}/graphql`, sign: here.service.sign, userIds, callers: 4 });
  await callers.untilWell();

  const second = await start(next.directory);
  await delay(togetherMs);
  await stop(first);
  await delay(togetherMs);
  await start(old);
  await delay(togetherMs);
  await stop(second);
  await delay(togetherMs);

  await Promise.race([callers.untilWell(), delay(patienceMs)]);
  isOver = true;
  await chatting;
  const written = await here.written(chatId);
  const heard = await Promise.all(
    listeners.map((listener) => tally([listener], written.slice(written.indexOf(listener.ids[0] as string)))),
  );
  const counts = await callers.stop(() => here.titles());
  for (const listener of listeners) await listener.stop();
  const sum = (count: (one: (typeof heard)[number]) => number) => heard.reduce((total, one) => total + count(one), 0);
  const { broken, wrong, refused, lost, twice } = counts;
  const noted = {
    ...faults,
    "messages lost": sum((one) => one.lost),
    "messages twice": sum((one) => one.twice),
    "messages out of order": sum((one) => one.outOfOrder),
    "errors instead of messages": sum((one) => one.errors),
    ...{ broken, wrong, refused },
    "writes lost": lost,
    "writes twice": twice,
  };
  return {
    title: `the release ${revision} and this one serve side by side, forth and back`,
    note: `${written.length} messages to ${listeners.length} listeners, ${counts.requests} requests`,
    counts: noted,
    isGood: Object.values(noted).every((count) => count === 0),
  };
}

function newestTag(): string | undefined {
  try {
    return execFileSync("git", ["describe", "--tags", "--abbrev=0"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
