import { setTimeout as delay } from "node:timers/promises";
import { MultiHostClient } from "@content-service/support/MultiHostClient.ts";
import { Random } from "@content-service/testing/Random.ts";
import { WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import { generate } from "selfsigned";
import { Arena } from "../Arena.ts";
import { FailingPrimary } from "../FailingPrimary.ts";
import { Service } from "../Service.ts";
import type { Outcome } from "./Outcome.ts";

interface WebhookFaults {
  /** How often each kind of fault happens: a kill of a service, a crash and a freeze of the primary, an end of an endpoint. */
  rounds: number;
  seed: number;
}

const keyCount = 20;
const rowsBetweenFaults = 200;

/**
 * Two services send the changes of a table to four endpoints, while services, the primary and an endpoint fail. One endpoint is well, one fails
 * every second time, one has a wrong certificate and one is not there; the last two are mended at the end. Each row is to arrive at each, those of a key
 * in the order of their commits, and signed.
 */
export async function webhooks({ rounds, seed }: WebhookFaults): Promise<Outcome> {
  await using ends = new AsyncDisposableStack();
  const database = ends.use(await FailingPrimary.start());
  const arena = new Arena(database, new Service());
  await arena.query(`
    create schema hooked;
    create table hooked.parcels (id bigint generated always as identity primary key, key int not null);
    create index on hooked.parcels (key);
    grant usage on schema hooked to api_anonymous;
    grant select on hooked.parcels to api_anonymous`);
  const start = async () => {
    const service = new Service();
    await service.start(database.apiUrl, { WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.1" });
    return service;
  };
  const services = [await start(), await start()];
  ends.defer(async () => {
    await Promise.all(services.map((service) => service.stop()));
  });

  const { cert, private: key } = await generate();
  const receivers = {
    well: new WebhookReceiver(),
    flapping: new WebhookReceiver(),
    untrusted: new WebhookReceiver({ cert, key }),
    absent: new WebhookReceiver(),
  };
  for (const receiver of Object.values(receivers)) ends.use(await receiver.start());
  const random = new Random(seed);
  let isMended = false;
  receivers.flapping.respond = async (_message, response) => {
    const luck = isMended ? 0 : random.below(6);
    if (luck === 3) response.statusCode = 503;
    if (luck === 4) response.destroy();
    if (luck === 5) await delay(random.below(1_000));
  };
  /** The last row of which an endpoint may not have been told. */
  const after: Record<string, number> = {};
  const declare = async (name: keyof typeof receivers) => {
    const [made] = await arena.query<{ secret: string }>(
      "select change_feed.webhook($1, 'hooked.parcels', '{added}', $2, 'api_anonymous', key_column => 'key') as secret",
      [name, receivers[name].url],
    );
    receivers[name].secret = made?.secret ?? "";
    const [last] = await arena.query<{ id: number }>("select coalesce(max(id), 0)::int as id from hooked.parcels");
    after[name] ??= last?.id ?? 0;
  };

  const writer = new Writer(database.ownerUrl);
  ends.defer(() => writer.stop());
  const arrivedAt = new Map<string, number>();
  receivers.well.respond = ({ data }) => void arrivedAt.set(data.id, performance.now());
  /** Waits until the endpoint that is well has what was written so far and some more. @returns the delays of what came meanwhile, in ms */
  const untilDelivered = async () => {
    const from = writer.acknowledged.length;
    while (writer.acknowledged.length < from + rowsBetweenFaults) await delay(20);
    const wanted = writer.acknowledged.slice(from);
    while (wanted.some(({ id }) => !arrivedAt.has(id))) await delay(20);
    return wanted.map(({ id, at }) => (arrivedAt.get(id) as number) - at).toSorted((one, other) => one - other);
  };

  await declare("well");
  writer.start();
  const alone = await untilDelivered();
  await receivers.absent.stop();
  for (const name of ["flapping", "untrusted", "absent"] as const) await declare(name);
  const besideOthers = await untilDelivered();
  const faults: (() => Promise<void>)[] = [
    async () => {
      await services.shift()?.kill();
      services.push(await start());
    },
    async () => (await database.failOver("crash"))(),
    async () => (await database.failOver("freeze"))(),
    async () => {
      await receivers.well.stop();
      await delay(2_000);
      await receivers.well.start();
    },
  ];
  const longest: number[] = [];
  for (let fault = 0; fault < rounds * faults.length; fault++) {
    await faults[fault % faults.length]?.();
    longest.push((await untilDelivered()).at(-1) as number);
  }
  await writer.stop();
  isMended = true;
  const sentToUntrusted = receivers.untrusted.messages.length;
  receivers.untrusted = ends.use(await new WebhookReceiver().start());
  await receivers.absent.start();
  for (const name of ["untrusted", "absent"] as const) await declare(name);
  do {
    await arena.query("update change_feed.webhooks set due_at = now(), failures = 0");
    await arena.query("update change_feed.webhook_keys set due_at = now() where due_at > now()");
    await delay(1_000);
  } while ((await arena.query("select from change_feed.webhook_events limit 1")).length > 0);

  const rows = await arena.query<{ id: string; key: string }>(
    "select id::text, key::text from hooked.parcels order by id",
  );
  const stored = new Set(rows.map(({ id }) => id));
  const results = Object.entries(receivers).map(([name, { messages }]) => {
    const ids = new Set(messages.map(({ data }) => data.id));
    return {
      name,
      lost: rows.filter(({ id }) => Number(id) > (after[name] ?? 0) && !ids.has(id)).length,
      twice: messages.length - ids.size,
      twiceWithAnotherId: new Set(messages.map(({ id }) => id)).size - ids.size,
      outOfOrder: outOfOrder(messages.map(({ data }) => data)),
      unverified: messages.filter(({ isVerified }) => !isVerified).length,
    };
  });
  const list = (times: number[]) => times.map((ms) => (ms / 1_000).toFixed(1)).join(", ");
  const median = (times: number[]) => (times[Math.floor(times.length / 2)] as number).toFixed(0);
  return {
    title: "two services send to four endpoints; services, the primary and endpoints fail",
    counts: {
      rows: rows.length,
      "acknowledged rows lost": writer.acknowledged.filter(({ id }) => !stored.has(id)).length,
      faults: rounds * faults.length,
      "sent in spite of a wrong certificate": sentToUntrusted,
      ...Object.fromEntries(results.map(({ name, ...counts }) => [name, counts])),
    },
    note:
      `delays of the endpoint that is well: ${median(alone)} ms alone, ${median(besideOthers)} ms beside the others (medians); ` +
      `longest after each fault (s): ${list(longest)}`,
    isGood:
      sentToUntrusted === 0 &&
      writer.acknowledged.every(({ id }) => stored.has(id)) &&
      results.every((each) => each.lost + each.twiceWithAnotherId + each.outOfOrder + each.unverified === 0),
  };
}

/** How many messages came after a later one of their key, repetitions of the last one aside. */
function outOfOrder(arrivals: readonly { id: string; key: string }[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { id, key } of arrivals) {
    if (Number(id) < (last.get(key) ?? 0)) count++;
    last.set(key, Math.max(Number(id), last.get(key) ?? 0));
  }
  return count;
}

/** Inserts row after row, also while the primary changes. One that was refused is not written again: nobody knows what became of it. */
class Writer {
  /** The rows whose commits were acknowledged, and when. */
  readonly acknowledged: { id: string; at: number }[] = [];
  readonly #connectionString: string;
  #isStopping = false;
  #running: Promise<void> | undefined;

  constructor(connectionString: string) {
    this.#connectionString = connectionString;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const client = new MultiHostClient({ connectionString: this.#connectionString });
      client.on("error", () => {});
      const watching = client.watchServers();
      try {
        await client.connect();
        while (!this.#isStopping) {
          const key = this.acknowledged.length % keyCount;
          const { rows } = await client.query<{ id: string }>(
            "insert into hooked.parcels (key) values ($1) returning id",
            [key],
          );
          this.acknowledged.push({ id: (rows[0] as { id: string }).id, at: performance.now() });
          await delay(50);
        }
      } catch {
        await delay(50);
      } finally {
        clearInterval(watching);
        await client.end().catch(() => {});
      }
    }
  }
}
