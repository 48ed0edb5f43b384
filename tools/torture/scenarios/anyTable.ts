import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@content-service/testing/Random.ts";
import pg from "pg";
import type { Arena } from "../Arena.ts";
import { Follower } from "../Follower.ts";
import type { Outcome } from "./Outcome.ts";

interface Options {
  /** How many changes are committed, at least. */
  changes: number;
  /** How often a follower loses its connection, at least. */
  cuts: number;
  seed: number;
}

/** A committed change that is an event. */
interface Recorded {
  /** The field and the key of those who follow it. */
  feed: string;
  id: string;
  isSecret: boolean;
  /** The transaction, and the place in it. */
  transaction: number;
  place: number;
  /** When the commit was sent, and when it was acknowledged. */
  sentAt: number;
  doneAt: number;
}

type Viewer = "member" | "stranger" | "visitor";

const rooms = ["1", "2", "3"];
const boards = ["00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"];
const followerCount = 28;
const arrivalMs = 60_000;
const latestCommitMs = 150;
const firstHighId = 1_000_000;

/**
 * The promise of the feed to any table: four writers with savepoints, rollbacks and late commits, and 28 followers that are cut at random.
 * Each committed row arrives once, in the order of commits, and nothing secret.
 */
export async function anyTable(arena: Arena, { changes, cuts, seed }: Options): Promise<Outcome> {
  await arena.query(readFileSync(new URL("../anyTable.sql", import.meta.url), "utf8"));
  await arena.service.stop();
  await arena.service.start(arena.database.apiUrl);

  // Each has an account of its own: one that connects hundreds of times is slowed down.
  const users = await arena.users(followerCount);
  const followers: Follower[] = [];
  const viewerOf = new Map<Follower, Viewer>();
  const follow = async (viewers: Viewer[], field: string, keys: string[], id = "id") => {
    const [argument, type] = field.startsWith("anyCard") ? (["boardId", "UUID"] as const) : (["roomId", "ID"] as const);
    for (const viewer of viewers) {
      for (const key of keys) {
        const transport = followers.length % 2 === 0 ? "websocket" : "sse";
        const userId = users[followers.length] as string;
        if (viewer === "member")
          await arena.query("insert into app_public.any_members select id, $1 from app_public.any_rooms", [userId]);
        const token = viewer === "visitor" ? undefined : (await arena.service.sign(userId, 3_600)).token;
        const follower = new Follower({ url: arena.service.url, token, transport, field, argument, type, key, id });
        viewerOf.set(follower, viewer);
        followers.push(follower);
      }
    }
  };
  const open = rooms.slice(0, 2);
  await follow(["member", "stranger"], "anyNoteAdded", rooms);
  await follow(["visitor"], "anyNoteAdded", ["1", "3"]);
  await follow(["member"], "anyNoteDeleted", open);
  await follow(["member", "stranger"], "anyCardAdded", boards);
  await follow(["visitor"], "anyCardAdded", [boards[0] as string]);
  await follow(["member", "stranger"], "anyCardDeleted", boards);
  await follow(["member", "stranger"], "anyLogAdded", open);
  await follow(["member", "stranger"], "anySeatAdded", open, "number");
  await follow(["visitor"], "anySeatAdded", ["2"], "number");

  const writers = Array.from({ length: 4 }, (_, place) => new Writer(new Random(seed + place), place));
  let isWritten = false;
  const count = () => writers.reduce((sum, { recorded }) => sum + recorded.length, 0);
  const writing = Promise.all(writers.map((each) => each.write(arena.database.ownerUrl, () => count() < changes)));
  writing.then(
    () => {
      isWritten = true;
    },
    () => {},
  );
  const random = new Random(seed + 4);
  let isCut = 0;
  while (!isWritten || isCut < cuts) {
    if (random.pick(followers).cut()) isCut += 1;
    await Promise.race([delay(random.below(20)), writing.catch((error) => Promise.reject(error))]).then(() => delay(2));
  }
  await writing;

  const recorded = writers.flatMap((writer) => writer.recorded);
  const removed = new Set(writers.flatMap((writer) => [...writer.removed]));
  const isHidden = (follower: Follower) => follower.settings.key === "3" && viewerOf.get(follower) !== "member";
  const expectedBy = (follower: Follower) => {
    const { field, key } = follower.settings;
    return recorded.filter(
      (one) =>
        one.feed === `${field} ${key}` && !isHidden(follower) && (!one.isSecret || viewerOf.get(follower) === "member"),
    );
  };
  // A row that has been removed before it was read is not told.
  const neededBy = (follower: Follower) =>
    expectedBy(follower).filter(({ id }) => follower.settings.field.endsWith("Deleted") || !removed.has(id));
  const missing = (follower: Follower) => {
    const had = new Set(follower.received.map(({ id }) => id));
    return neededBy(follower).filter(({ id }) => !had.has(id));
  };
  const until = performance.now() + arrivalMs;
  while (followers.some((one) => missing(one).length > 0) && performance.now() < until) await delay(20);
  for (const follower of followers) await follower.stop();

  const counts = { lost: 0, twice: 0, outOfOrder: 0, foreign: 0, errors: 0 };
  const examples: unknown[] = [];
  /** The place of each row, which is the same for all followers. */
  const positions = new Map<string, string>();
  for (const follower of followers) {
    const { settings, received, errors } = follower;
    const expected = new Map(expectedBy(follower).map((one) => [one.id, one]));
    const wrong = {
      lost: missing(follower).length,
      twice: received.length - new Set(received.map(({ id }) => id)).size,
      foreign: received.filter(({ id }) => !expected.has(id)).length,
      outOfOrder: countDisorder(received.flatMap(({ id }) => expected.get(id) ?? [])),
      errors: errors.filter((code) => !isHidden(follower) || code !== "NOT_FOUND").length,
    };
    for (const [index, { id, position }] of received.entries()) {
      const name = `${settings.field} ${settings.key} ${id}`;
      if (positions.has(name) && positions.get(name) !== position) wrong.outOfOrder += 1;
      positions.set(name, position);
      if (index > 0 && BigInt(received[index - 1]?.position ?? 0) >= BigInt(position)) wrong.outOfOrder += 1;
    }
    for (const [name, value] of Object.entries(wrong)) counts[name as keyof typeof counts] += value;
    if (Object.values(wrong).some((value) => value > 0)) {
      const { token: _, ...shown } = settings;
      examples.push({ ...shown, wrong, errors: [...new Set(errors)] });
    }
  }
  const connections = followers.reduce((sum, follower) => sum + follower.connections, 0);
  return {
    title: `any table: ${followers.length} followers are cut at random, four writers with savepoints, rollbacks and late commits`,
    note: `seed ${seed}: ${recorded.length} changes committed; ${connections - followers.length} reconnections, ${isCut} cuts; ${positions.size} events`,
    counts,
    examples: examples.slice(0, 5),
    isGood: Object.values(counts).every((value) => value === 0) && recorded.length >= changes && isCut >= cuts,
  };
}

/** How many changes arrived before one that had been committed before they were. @param arrived in the order of their arrival */
function countDisorder(arrived: readonly Recorded[]): number {
  let disorder = 0;
  let earliest = Number.POSITIVE_INFINITY;
  for (const one of arrived.toReversed()) {
    if (earliest < one.sentAt) disorder += 1;
    earliest = Math.min(earliest, one.doneAt);
  }
  const places = new Map<number, number>();
  for (const { transaction, place } of arrived) {
    if ((places.get(transaction) ?? -1) > place) disorder += 1;
    places.set(transaction, place);
  }
  return disorder;
}

type Change = Pick<Recorded, "feed" | "id" | "isSecret">;

/** Writes rows in random transactions. It changes and deletes its own rows only, so no writer waits for another one's row. */
class Writer {
  readonly recorded: Recorded[] = [];
  readonly removed = new Set<string>();
  readonly #random: Random;
  #lastId: number;
  #transaction: number;
  /** Rows that have been committed, and are there. */
  #notes: { id: string; room: string }[] = [];
  #cards: { id: string; board: string; isListed: boolean }[] = [];

  constructor(random: Random, place: number) {
    this.#random = random;
    this.#lastId = place;
    this.#transaction = place;
  }

  async write(ownerUrl: string, goesOn: () => boolean): Promise<void> {
    const client = new pg.Client({ connectionString: ownerUrl });
    await client.connect();
    try {
      while (goesOn()) await this.#transact(client);
    } finally {
      await client.end();
    }
  }

  async #transact(client: pg.Client): Promise<void> {
    const random = this.#random;
    this.#transaction += 4;
    const changes: Change[] = [];
    const settled: (() => void)[] = [];
    await client.query("begin");
    for (let turn = 1 + random.below(4); turn > 0; turn--) {
      const isUndone = random.chance(0.2);
      if (isUndone || random.chance(0.2)) await client.query("savepoint one");
      const { change, settle } = await this.#change(client);
      if (isUndone) {
        await client.query("rollback to one");
        continue;
      }
      if (change) changes.push(change);
      settled.push(settle);
    }
    if (random.chance(0.25)) await delay(random.below(latestCommitMs));
    if (random.chance(0.15)) {
      await client.query("rollback");
      return;
    }
    const sentAt = performance.now();
    await client.query("commit");
    const doneAt = performance.now();
    const transaction = this.#transaction;
    this.recorded.push(...changes.map((change, place) => ({ ...change, transaction, place, sentAt, doneAt })));
    for (const settle of settled) settle();
  }

  #newId(): number {
    this.#lastId += 4;
    return this.#lastId;
  }

  /** @returns the event, if it is one, and what to remember after the commit */
  async #change(client: pg.Client): Promise<{ change?: Change; settle: () => void }> {
    const random = this.#random;
    const room = random.pick(rooms);
    const nothing = () => {};
    switch (random.below(8)) {
      case 0:
      case 1: {
        const [id, isSecret] = [String(this.#newId()), random.chance(0.3)];
        await client.query("insert into app_public.any_notes values ($1, $2, $3)", [id, room, isSecret]);
        const settle = () => this.#notes.push({ id, room });
        return { change: { feed: `anyNoteAdded ${room}`, id, isSecret }, settle };
      }
      case 2: {
        const note = this.#notes.splice(random.below(this.#notes.length), 1)[0];
        if (!note) return { settle: nothing };
        await client.query("delete from app_public.any_notes where id = $1", [note.id]);
        const settle = () => this.removed.add(note.id);
        return { change: { feed: `anyNoteDeleted ${note.room}`, id: note.id, isSecret: false }, settle };
      }
      case 3: {
        const [id, board, isListed] = [randomUUID(), random.pick(boards), random.chance(0.5)];
        const sql = `insert into app_public.any_cards values ($1, $2, ${isListed ? "now()" : "null"})`;
        await client.query(sql, [id, board]);
        const settle = () => this.#cards.push({ id, board, isListed });
        return { ...(isListed && { change: { feed: `anyCardAdded ${board}`, id, isSecret: false } }), settle };
      }
      case 4: {
        // A listed card is deleted softly; one that waits is listed.
        const card = this.#cards.splice(random.below(this.#cards.length), 1)[0];
        if (!card) return { settle: nothing };
        const { id, board, isListed } = card;
        const sql = `update app_public.any_cards set listed_at = ${isListed ? "null" : "now()"} where id = $1`;
        await client.query(sql, [id]);
        const settle = () => {
          if (isListed) this.removed.add(id);
          else this.#cards.push({ id, board, isListed: true });
        };
        return {
          change: { feed: `${isListed ? "anyCardDeleted" : "anyCardAdded"} ${board}`, id, isSecret: false },
          settle,
        };
      }
      case 5:
      case 6: {
        const isHigh = random.chance(0.5);
        const id = String(this.#newId() + (isHigh ? firstHighId : 0));
        const partition = isHigh ? "any_logs_high" : "any_logs_low";
        const table = random.chance(0.5) ? "any_logs" : partition;
        await client.query(`insert into app_public.${table} values ($1, $2)`, [id, room]);
        return { change: { feed: `anyLogAdded ${room}`, id, isSecret: false }, settle: nothing };
      }
      default: {
        const id = String(this.#newId());
        await client.query(
          `with added as (insert into app_public.any_seats values ($1, $2) returning *)
           select change_feed.record_events('app_public.any_seats', 'room_id', '{added}', array[room_id::text], array[number::text]) from added`,
          [room, id],
        );
        return { change: { feed: `anySeatAdded ${room}`, id, isSecret: false }, settle: nothing };
      }
    }
  }
}
