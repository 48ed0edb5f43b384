import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { migrate } from "@content-service/migration-review/migrations/migrate.ts";
import { ensureRoles } from "@content-service/migration-review/migrations/roles.ts";
import { postJson } from "../../support/post.ts";
import { Random } from "../../support/Random.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../support/ReplicatedServers.ts";
import { Service } from "../Service.ts";
import { type Check, check } from "./Check.ts";

const callers = 16;
/** One request of so many is a mutation. */
const turnsPerWrite = 5;
const settings = { REPLICA_MAX_LAG_MS: "2000" };

/**
 * Two instances and two standbys, which stop, crash, freeze, pause and are promoted while users write and read what they have
 * written. The primary stays.
 */
export async function replicas(seconds: number): Promise<Check> {
  await using servers = await ReplicatedServers.start({ standbys: 2 });
  const [primary, ...standbys] = servers.servers as [ReplicatedServer, ...ReplicatedServer[]];
  const apiUrl = await ensureRoles(primary.url);
  await migrate(primary.url);
  await primary.query(
    `with made as (insert into app_public.users (name) select 'User ' || n from generate_series(1, ${callers}) n returning id)
     insert into app_private.accounts (user_id, email) select id, id || '@example.com' from made`,
  );
  const ids = await primary.query<{ id: string }>("select id from app_public.users order by id");
  await using stack = new AsyncDisposableStack();
  const services = [new Service(), new Service()];
  const replicaUrls = standbys.map(({ port }) => `postgres://127.0.0.1:${port}`).join();
  for (const service of services) {
    stack.adopt(service, (each) => each.stop());
    await service.start(apiUrl, { ...settings, DATABASE_REPLICA_URLS: replicaUrls });
  }
  const urls = services.map(({ url }) => url.replace("ws:", "http:"));
  const agent = stack.adopt(new Agent({ keepAlive: true }), (each) => each.destroy());
  const counts = { requests: 0, slowestMs: 0, notRead: 0, failed: 0 };
  const examples = new Set<string>();
  let isOver = false;

  async function call(number: number): Promise<void> {
    const token = (await services[0]?.sign(ids[number]?.id as string, 3_600))?.token;
    // Half of the users stay with an instance, which remembers their writes. The others change it each time, and say what they wrote.
    const isMobile = number % 2 === 0;
    let name: string | undefined;
    let readAfter: string | undefined;
    for (let turn = 0; !isOver; turn++) {
      const url = urls[(isMobile ? turn : number >> 1) % urls.length] as string;
      const written = turn % turnsPerWrite === 0 ? `Name ${turn}` : undefined;
      const query = written
        ? `mutation { updateProfile(input: {name: "${written}"}) { name } }`
        : "{ me { name } users(limit: 5) { name postsCount } }";
      const headers: Record<string, string> = isMobile && readAfter ? { "read-after": readAfter } : {};
      const from = performance.now();
      try {
        const answer = await postJson(url, agent, JSON.stringify({ query }), {
          authorization: `Bearer ${token}`,
          headers,
        });
        const { data, errors } = JSON.parse(answer.text);
        if (errors) throw new Error(JSON.stringify(errors[0]));
        if (written) {
          name = written;
          readAfter = answer.headers["read-after"] as string;
        } else if (data.me.name !== name) counts.notRead += 1;
      } catch (error) {
        counts.failed += 1;
        examples.add(String(error));
      }
      counts.requests += 1;
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - from);
    }
  }

  const running = Promise.all(Array.from({ length: callers }, (_, number) => call(number)));
  const random = new Random(1);
  const faults: Record<string, number> = {};
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const fault = random.pick(Object.keys(acts));
    faults[fault] = (faults[fault] ?? 0) + 1;
    await (acts[fault] as Act)(random.pick(standbys), primary, random.below(3_000));
    await delay(random.below(3_000));
  }
  isOver = true;
  await running;
  const answered = (await Promise.all(urls.map(queriesOf))).reduce((sum, each) => ({
    all: sum.all + each.all,
    primary: sum.primary + each.primary,
  }));
  const share = Math.round(100 * (1 - answered.primary / answered.all));
  const note =
    `${counts.requests} requests, ${share} % of the queries answered by standbys, the slowest request ` +
    `${Math.round(counts.slowestMs)} ms; ${Object.entries(faults)
      .map(([fault, times]) => `${fault} ${times}`)
      .join(", ")}`;
  for (const example of examples) console.log(`     ${example}`);
  const { notRead, failed } = counts;
  return check(`two standbys have faults for ${seconds} s`, note, {
    notRead,
    failed,
    noQueryOnStandbys: Number(share === 0),
  });
}

/** Disturbs a standby for `ms`. Afterwards it replicates again. */
type Act = (standby: ReplicatedServer, primary: ReplicatedServer, ms: number) => Promise<void>;

const acts: Record<string, Act> = {
  async stopped(standby, _primary, ms) {
    await standby.stop("fast");
    await delay(ms);
    await standby.start();
  },
  async crashed(standby, _primary, ms) {
    await standby.stop("immediate");
    await delay(ms);
    await standby.start();
  },
  async paused(standby, _primary, ms) {
    await standby.pauseReplay();
    await delay(ms);
    await standby.resumeReplay();
  },
  async frozen(standby, _primary, ms) {
    standby.freeze();
    await delay(ms);
    standby.thaw();
  },
  async promoted(standby, primary, ms) {
    await standby.promote();
    await standby.query("update app_public.users set name = 'Of another primary'");
    await delay(ms);
    await standby.follow(primary);
  },
};

/** How many queries an instance has answered, and how many of them the primary. */
async function queriesOf(url: string): Promise<{ all: number; primary: number }> {
  const text = await (await fetch(new URL("/metrics", url))).text();
  const counted = [...text.matchAll(/^queries_total\{server="([^"]+)"\} (\d+)/gm)];
  const sum = (rows: RegExpMatchArray[]) => rows.reduce((all, [, , count]) => all + Number(count), 0);
  return { all: sum(counted), primary: sum(counted.filter(([, server]) => server === "primary")) };
}
