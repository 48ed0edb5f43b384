import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Attacker } from "../Attacker.ts";
import type { Attack } from "./Attack.ts";

/* What holds up some requests, webhooks or mails, as an operator or a DBA may cause it. Nobody else may notice. */
const readers = 80;
const heldMs = 9_000;
const probeEveryMs = 250;

/** A table that only the attack reads. @param condition of its policy */
const table = (name: string, condition = "true") => `
  create table if not exists app_public.${name} (id bigint generated always as identity primary key, name text not null);
  alter table app_public.${name} enable row level security;
  drop policy if exists select_all on app_public.${name};
  create policy select_all on app_public.${name} for select to api_anonymous, api_member using (${condition});
  grant select on app_public.${name} to api_anonymous, api_member;
  insert into app_public.${name} (name) values ('A')`;

async function asOwner<Result>({ place }: Attacker, use: (owner: pg.Client) => Promise<Result>): Promise<Result> {
  const owner = new pg.Client({ connectionString: place.ownerUrl });
  owner.on("error", () => {});
  await owner.connect();
  try {
    return await use(owner);
  } finally {
    await owner.end();
  }
}

/** Locks a table again and again, as each `alter table` does. */
const holdTable = (attacker: Attacker, name: string) =>
  asOwner(attacker, async (owner) => {
    while (!attacker.signal.aborted) {
      await owner.query(`begin; lock app_public.${name} in access exclusive mode`);
      await delay(heldMs, undefined, { signal: attacker.signal }).catch(() => {});
      await owner.query("rollback");
    }
  });

/** Readers of the list, each from an address of its own. */
async function read(attacker: Attacker, list: string): Promise<void> {
  const one = async (index: number) => {
    while (!attacker.signal.aborted) {
      await attacker.ask(
        { query: `{ ${list} { nodes { name } } }` },
        { isAnonymous: true, address: `198.51.100.${100 + index}` },
      );
      // As Retry-After says.
      await delay(1_000, undefined, { signal: attacker.signal }).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, index) => one(index)));
}

/** Counts what a balancer is told. */
async function probe({ place, signal, note }: Attacker): Promise<void> {
  while (!signal.aborted) {
    const status = await fetch(place.url.replace("/graphql", "/readyz"), { signal }).then(
      (response) => response.status,
      () => "no answer",
    );
    if (signal.aborted) return;
    note(`readyz ${status}`);
    await delay(probeEveryMs);
  }
}

export const lockedTable: Attack = {
  title: "80 readers of a table that is locked for nine seconds, again and again",
  prepare: table("locked_things"),
  run: (attacker) =>
    Promise.all([holdTable(attacker, "locked_things"), read(attacker, "lockedThingsConnection"), probe(attacker)]),
};

export const slowPolicy: Attack = {
  title: "80 readers of a table whose policy takes two seconds",
  prepare: table("slow_things", "(select pg_sleep(2)) is not null"),
  run: (attacker) => Promise.all([read(attacker, "slowThingsConnection"), probe(attacker)]),
};

/** Declares webhooks to paths of the port of this process, and causes events. */
const declare = (attacker: Attacker, name: string, paths: readonly string[]) =>
  asOwner(attacker, async (owner) => {
    for (const path of paths) {
      await owner.query("select change_feed.webhook($1, $2::regclass, '{added}', $3, 'api_anonymous')", [
        `${name} ${path}`,
        `app_public.${name}`,
        `http://127.0.0.1:${attacker.place.port}/${path}`,
      ]);
    }
    await owner.query(`insert into app_public.${name} (name) select 'A' from generate_series(1, 200)`);
  });

/** Endpoints that never respond, but for the path `/well`. */
async function serveHooks({ place, signal, note }: Attacker): Promise<void> {
  const server = createHttpServer((request, response) => {
    const isWell = request.url === "/well";
    note(isWell ? "delivered" : "held");
    if (isWell) response.end();
  }).listen(place.port, "127.0.0.1");
  await once(server, "listening");
  signal.addEventListener("abort", () => {
    server.closeAllConnections();
    server.close();
  });
}

export const lockedWebhook: Attack = {
  title: "webhooks of a table that is locked, and of one whose policy takes two seconds",
  prepare: `${table("hooked_things")}; ${table("slowly_hooked_things", "(select pg_sleep(2)) is not null")}`,
  async run(attacker) {
    await serveHooks(attacker);
    await declare(attacker, "hooked_things", ["well"]);
    await declare(attacker, "slowly_hooked_things", ["well"]);
    await Promise.all([holdTable(attacker, "hooked_things"), probe(attacker)]);
  },
};

export const hangingEndpoints: Attack = {
  title: "99 endpoints of 100 that do not respond",
  prepare: table("hanging_things"),
  async run(attacker) {
    await serveHooks(attacker);
    const hanging = Array.from({ length: 99 }, (_, index) => `hangs${index}`);
    await declare(attacker, "hanging_things", [...hanging, "well"]);
    await probe(attacker);
  },
};

export const hangingMailServer: Attack = {
  title: "a mail server that accepts connections and says nothing, with 1,000 mails",
  prepare: `
    insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
    select 'RESET_PASSWORD', $1, 'user' || n || '@example.com', md5(n::text), now() + interval '1 hour' from generate_series(1, 1000) n`,
  environment: (port) => ({
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: "hello@example.com",
    APP_URL: "https://example.com",
  }),
  async run(attacker) {
    const server = createServer(() => attacker.note("held")).listen(attacker.place.port, "127.0.0.1");
    attacker.signal.addEventListener("abort", () => server.close());
    await probe(attacker);
  },
};
