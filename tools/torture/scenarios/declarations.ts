import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@content-service/testing/Random.ts";
import pg from "pg";
import { holdLock } from "../../support/holdLock.ts";
import type { Arena } from "../Arena.ts";
import { Follower } from "../Follower.ts";
import { Listener } from "../Listener.ts";
import { Service } from "../Service.ts";
import { isWhole, tally } from "../tally.ts";
import { Writers } from "../Writers.ts";
import type { Outcome } from "./Outcome.ts";

interface Options {
  tables: number;
  /** How often something is broken and repaired. */
  harms: number;
  instances: 1 | 2;
  seed: number;
}

/** A longer gap is noticed by the users of a chat. */
const longestGapMs = 1_000;
/** Until the metric names a stream: its own check of everything comes every five seconds, and a slow statement has four. */
const namedMs = 30_000;
/** A broken stream is tried again after 30 s at most, and a key that failed is refused for as long as that. */
const arrivalMs = 60_000;
/** INTERNAL_SERVER_ERROR: an event has passed the stream's check, and its own operation meets the harm. */
const expectedCodes = ["SERVICE_UNAVAILABLE", "NOT_FOUND", "UNAUTHORIZED", "INTERNAL_SERVER_ERROR"];
const writePauseMs = 50;
const lockMs = 1_500;

type KeyType = "bigint" | "int" | "uuid";

/** A table of random properties, with a stream of added rows. */
interface Table {
  name: string;
  keyType: KeyType;
  rowType: KeyType;
  /** Whether a function of the stream says who may read, and not the policies. */
  hasFunction: boolean;
  isPartitioned: boolean;
  /** Whether rows belong to the stream later than they are written. */
  hasSince: boolean;
  /** The first one is what harms are about. */
  keys: [string, string];
}

/** A harm to the declaration of a table, and its repair. */
interface Harm {
  fits(table: Table): boolean;
  harm(table: Table): string;
  /** Undefined: the harm is a lock, which ends with its transaction. */
  repair?(table: Table): string;
  /**
   * How it shows: in the metric `stream_in_trouble`, in change_feed.problems(), by an error of the follower of the harmed key and of no other, or
   * by errors of all.
   */
  shows: "broken" | "waiting" | "problem" | "key" | "refused";
}

const always = () => true;
const rename = (table: Table, from: string, to: string) =>
  `alter table app_public.${table.name} rename column ${from} to ${to}`;
/** A key's expression is evaluated for the harmed key only. */
const forKey = ({ keys }: Table, harmed: string, otherwise: string) =>
  `case when key = '${keys[0]}' then ${harmed} else ${otherwise} end`;

const harms: Record<string, Harm> = {
  "its function is dropped": {
    fits: ({ hasFunction }) => hasFunction,
    harm: ({ name, keyType }) =>
      `drop function app_hidden.${name}_reading(${keyType === "int" ? "bigint" : keyType}, bigint)`,
    repair: (table) => readingFunction(table),
    shows: "broken",
  },
  "it raises for one key": {
    fits: always,
    harm: (table) => readingFunction(table, `1 / ${forKey(table, "0", "1")} = 1`),
    repair: (table) => readingFunction(table),
    shows: "key",
  },
  "it is slow for one key": {
    fits: always,
    harm: (table) => readingFunction(table, `pg_sleep(${forKey(table, "60", "0")}) is not null`),
    repair: (table) => readingFunction(table),
    shows: "key",
  },
  "its rights are revoked": {
    fits: ({ hasFunction }) => !hasFunction,
    harm: ({ name }) => `revoke select on app_public.${name} from api_anonymous, api_member`,
    repair: ({ name }) => `grant select on app_public.${name} to api_anonymous, api_member`,
    shows: "refused",
  },
  "its key column is renamed": {
    fits: always,
    harm: (table) => rename(table, "key_id", "place_id"),
    repair: (table) => rename(table, "place_id", "key_id"),
    shows: "broken",
  },
  "it is locked": {
    fits: always,
    harm: ({ name }) => `lock table app_public.${name} in access exclusive mode`,
    shows: "waiting",
  },
  "its triggers are disabled": {
    fits: always,
    harm: ({ name }) => `alter table app_public.${name} disable trigger user`,
    repair: ({ name }) => `alter table app_public.${name} enable trigger user`,
    shows: "problem",
  },
};

/** The function of the stream, or that of its policies. */
function readingFunction({ name, keyType, hasFunction }: Table, condition = "true"): string {
  return hasFunction
    ? `create or replace function app_hidden.${name}_reading(key ${keyType === "int" ? "bigint" : keyType}, viewer_id bigint, out may_read boolean) language sql stable
         as $$ select ${condition} $$`
    : `create or replace function app_hidden.${name}_visible(key ${keyType}) returns boolean language sql stable as $$ select ${condition} $$`;
}

/**
 * Breaks and repairs the declarations of random streams while a chat runs. The chat loses nothing and waits for nothing; the broken streams
 * are named; after a repair, each follower receives every row that its table has recorded, once and in order.
 */
export async function declarations(
  arena: Arena,
  { tables: count, harms: times, instances, seed }: Options,
): Promise<Outcome> {
  const random = new Random(seed);
  await using rest = new AsyncDisposableStack();
  const prefix = `declared_${instances}`;
  const tables = Array.from({ length: count }, (_, place) => randomTable(`${prefix}_${place}`, random));
  for (const table of tables) await arena.query(tableSql(table));
  // Not a reader of the chat: what is slow for a caller delays that caller's other events.
  const userId = (await arena.users(11)).at(-1) as string;
  await arena.service.stop();
  await arena.service.start(arena.database.apiUrl);
  const services = [arena.service];
  if (instances === 2) {
    const other = rest.adopt(new Service(), (each) => each.stop());
    await other.start(arena.database.apiUrl);
    services.push(other);
  }
  const serviceOf = (place: number) => services[place % services.length] as Service;
  const token = (await arena.service.sign(userId, 3_600)).token;

  const chatId = await arena.openChat(10);
  const listeners: Listener[] = [];
  for (const [place, member] of (await arena.users(10)).entries()) {
    listeners.push(new Listener(serviceOf(place).url, (await arena.service.sign(member, 3_600)).token, chatId));
  }
  for (const service of services) await service.untilListening(10 / services.length);
  const followers = tables.flatMap((table, place) =>
    table.keys.map((key) => {
      const type = ({ bigint: "ID", int: "Int", uuid: "UUID" } as const)[table.keyType];
      const settings = {
        url: serviceOf(place).url,
        token,
        transport: "websocket",
        argument: "keyId",
        type,
        key,
      } as const;
      return { table, follower: new Follower({ ...settings, field: fieldOf(table) }) };
    }),
  );

  const chat = new Writers(arena.database.ownerUrl, chatId);
  const goesOn = { isOver: false };
  const writing = tables.map((table, place) => writeRows(arena, table, new Random(seed + place), goesOn));
  const failures: string[] = [];
  const done: string[] = [];
  // Two at a time, each with tables of its own.
  const harming = [0, 1].map(async (half) => {
    const own = new Random(seed + 100 + half);
    const mine = tables.filter((_, place) => place % 2 === half);
    for (let turn = half; turn < times; turn += 2) {
      const table = own.pick(mine);
      const [name, harm] = own.pick(Object.entries(harms).filter(([, { fits }]) => fits(table)));
      const pair = followers.filter((one) => one.table === table).map(({ follower }) => follower) as [
        Follower,
        Follower,
      ];
      const wrong = await breakAndRepair(arena, table, harm, serviceOf(tables.indexOf(table)), pair);
      done.push(name);
      if (wrong) failures.push(`${table.name}, ${name}: ${wrong}`);
    }
  });
  await Promise.all(harming);
  goesOn.isOver = true;
  await Promise.all(writing);
  await chat.stop();
  const counts = await tally(listeners, await arena.written(chatId));

  const wrong = { lost: 0, twice: 0, outOfOrder: 0, otherErrors: 0 };
  const until = performance.now() + arrivalMs;
  for (const { table, follower } of followers) {
    const recorded = await recordedIn(arena, table, follower.settings.key);
    while (follower.received.at(-1)?.id !== recorded.at(-1) && performance.now() < until) await delay(20);
    const received = follower.received.map(({ id }) => id);
    const had = new Set(received);
    const lost = recorded.filter((id) => !had.has(id)).length;
    const isSame = received.length === recorded.length && received.every((id, place) => id === recorded[place]);
    wrong.lost += lost;
    wrong.twice += received.length - had.size;
    if (!isSame && lost === 0 && received.length === had.size) wrong.outOfOrder += 1;
    const others = follower.errors.filter((code) => !expectedCodes.includes(code));
    wrong.otherErrors += others.length;
    if (!isSame || others.length > 0) {
      const { name, ...properties } = table;
      failures.push(
        `${name} ${JSON.stringify(properties)}: received ${received.length} of ${recorded.length}, errors ${[...new Set(follower.errors)]}`,
      );
    }
  }
  for (const { follower } of followers) await follower.stop();
  for (const listener of listeners) await listener.stop();
  const isGood =
    isWhole(counts) &&
    counts.longestGapMs <= longestGapMs &&
    failures.length === 0 &&
    Object.values(wrong).every((value) => value === 0);
  return {
    title: `${times} declarations of ${count} streams are broken and repaired beside a chat, on ${instances === 1 ? "one instance" : "two instances"}`,
    note: `seed ${seed}: ${followers.reduce((sum, { follower }) => sum + follower.received.length, 0)} rows followed; ${[...Map.groupBy(done, (name) => name)].map(([name, all]) => `${name} ${all.length}×`).join(", ")}`,
    counts: { chat: counts, streams: wrong },
    examples: failures,
    isGood,
  };
}

/** @returns what is wrong, if something is */
async function breakAndRepair(
  arena: Arena,
  table: Table,
  { harm, repair, shows }: Harm,
  service: Service,
  [harmed, other]: [Follower, Follower],
): Promise<string | undefined> {
  // Errors of the harm before would be taken for this one's.
  if (!(await receivesMore([harmed, other]))) return "it is not followed after the repair before";
  const before = { harmed: harmed.errors.length, other: other.errors.length };
  const lock = repair ? undefined : await holdLock(arena.database.ownerUrl, harm(table));
  if (!lock) await arena.query(harm(table));
  const isShown = async (): Promise<boolean> => {
    switch (shows) {
      case "problem": {
        const rows = await arena.query("select from change_feed.problems() where stream = $1", [streamOf(table)]);
        return rows.length === 1;
      }
      case "key":
        return harmed.errors.length > before.harmed;
      case "refused":
        return harmed.errors.length > before.harmed && other.errors.length > before.other;
      default:
        return (
          (await service.metric(`stream_in_trouble{stream="${streamOf(table)}"}`)) === (shows === "broken" ? 2 : 1)
        );
    }
  };
  const until = performance.now() + namedMs;
  let isNamed = false;
  do {
    await delay(50);
    isNamed = await isShown();
  } while (!isNamed && performance.now() < until);
  if (lock) {
    await delay(lockMs);
    await lock.release();
  }
  if (repair) await arena.query(repair(table));
  if (!isNamed) return "it is not named";
  if (shows === "key" && other.errors.length > before.other) return `another key got ${other.errors.at(-1)}`;
  return undefined;
}

/** Waits until each of the followers has received another row. @returns whether they have in time */
async function receivesMore(followers: readonly Follower[]): Promise<boolean> {
  const counts = followers.map(({ received }) => received.length);
  const until = performance.now() + arrivalMs;
  while (followers.some(({ received }, place) => received.length === counts[place]) && performance.now() < until)
    await delay(20);
  return performance.now() < until;
}

function randomTable(name: string, random: Random): Table {
  const keyType = random.pick<KeyType>(["bigint", "int", "uuid"]);
  const keyOf = (place: number) => (keyType === "uuid" ? `00000000-0000-0000-0000-00000000000${place}` : String(place));
  return {
    name,
    keyType,
    rowType: random.pick<KeyType>(["bigint", "int", "uuid"]),
    hasFunction: random.chance(0.5),
    isPartitioned: random.chance(0.4),
    hasSince: random.chance(0.3),
    keys: [keyOf(1), keyOf(2)],
  };
}

const fieldOf = ({ name }: Table) => `${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Added`;
const streamOf = ({ name }: Table) => `app_public.${name} key_id added`;
/** The rows of a partitioned table are in one partition or the other by their id. */
const middleOf = ({ rowType }: Table) => (rowType === "uuid" ? "80000000-0000-0000-0000-000000000000" : "1000000");

function tableSql(table: Table): string {
  const { name, keyType, rowType, hasFunction, isPartitioned, hasSince, keys } = table;
  const roles = "api_anonymous, api_member";
  const policies = [name, `${name}_keys`].map(
    (one) => `alter table app_public.${one} enable row level security;
      create policy select_visible on app_public.${one} to ${roles}
        using (app_hidden.${name}_visible(${one === name ? "key_id" : "id"}))`,
  );
  return [
    `create table app_public.${name}_keys (id ${keyType} primary key)`,
    `insert into app_public.${name}_keys values ('${keys[0]}'), ('${keys[1]}')`,
    `create table app_public.${name} (id ${rowType} primary key, key_id ${keyType} not null references app_public.${name}_keys,
       listed_at timestamptz) ${isPartitioned ? "partition by range (id)" : ""}`,
    ...(isPartitioned
      ? [
          `create table app_public.${name}_low partition of app_public.${name} for values from (minvalue) to ('${middleOf(table)}')`,
          `create table app_public.${name}_high partition of app_public.${name} for values from ('${middleOf(table)}') to (maxvalue)`,
        ]
      : []),
    `grant select on app_public.${name}, app_public.${name}_keys to ${roles}`,
    readingFunction(table),
    ...(hasFunction
      ? []
      : [`grant execute on function app_hidden.${name}_visible(${keyType}) to ${roles}`, ...policies]),
    `select change_feed.stream('app_public.${name}', 'key_id', kinds => '{added}'
       ${hasFunction ? `, may_read => 'app_hidden.${name}_reading'` : ""} ${hasSince ? ", since_column => 'listed_at'" : ""})`,
    `comment on table app_public.${name} is '@subscription ${fieldOf(table)} key_id'`,
  ].join(";\n");
}

/** Inserts rows until it is over. A failed insert is not counted: the events that the table has recorded count. */
async function writeRows(arena: Arena, table: Table, random: Random, goesOn: { isOver: boolean }): Promise<void> {
  const { name, rowType, keys, isPartitioned, hasSince } = table;
  const client = new pg.Client({ connectionString: arena.database.ownerUrl });
  await client.connect();
  for (let number = 1; !goesOn.isOver; number++) {
    const isHigh = random.chance(0.5);
    const id =
      rowType === "uuid"
        ? randomUUID().replace(/^./, isHigh ? "f" : "0")
        : String(number + (isHigh ? Number(middleOf(table)) : 0));
    const target = isPartitioned && random.chance(0.5) ? `${name}_${isHigh ? "high" : "low"}` : name;
    try {
      await client.query(`insert into app_public.${target} (id, key_id) values ($1, $2)`, [id, random.pick(keys)]);
      if (hasSince) await client.query(`update app_public.${target} set listed_at = now() where id = $1`, [id]);
    } catch {
      // The declaration is broken at the moment.
    }
    await delay(writePauseMs);
  }
  await client.end();
}

/** The ids of the rows that a table has recorded for a key, in order. */
async function recordedIn(arena: Arena, table: Table, key: string): Promise<string[]> {
  const rows = await arena.query<{ row_id: string }>(
    "select row_id from change_feed.stream_events join change_feed.stream_names on id = stream_id where name = $1 and key = $2 order by number",
    [streamOf(table), key],
  );
  return rows.map(({ row_id }) => row_id);
}
