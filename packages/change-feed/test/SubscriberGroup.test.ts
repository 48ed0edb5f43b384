import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "@content-service/testing/Random.ts";
import type { Feed } from "../Feed.ts";
import type { FeedCursor } from "../FeedCursor.ts";
import { type Cursor, type EventPage, SubscriberGroup } from "../SubscriberGroup.ts";

const stream: Feed = {
  id: 1,
  name: "public.notes room_id added",
  kind: "added",
  keyType: "bigint",
  idType: "bigint",
  asksPolicies: false,
  hasNumbers: false,
};

/* The order of reads, writes and subscriptions depends on timing. These tests choose that order themselves, without a database. */
const pageSize = 4;

/** A chat whose last message has the number `last`, its subscribers, and the numbers that each of them has received. */
class Chat {
  last: number;
  readonly group = new SubscriberGroup(stream, "1", {
    pageSize,
    drained: () => {},
    left: () => {},
  });
  readonly readers: { subscriber: FeedCursor; after: number; had: number[] }[] = [];

  constructor(last: number) {
    this.last = last;
  }

  add(count: number): void {
    this.last += count;
    this.group.isStale = true;
  }

  subscribe(after: number): void {
    this.readers.push({ subscriber: this.group.subscribe("1", after), after, had: [] });
  }

  async take(reader: Chat["readers"][number], count = Number.POSITIVE_INFINITY): Promise<void> {
    for (let taken = 0; taken < count && !reader.subscriber.isDrained; taken++) {
      reader.had.push((await reader.subscriber.next()).value?.number ?? 0);
    }
  }

  /** One statement: it sees the chat as of the moment when it was sent. */
  async read(places: number, meanwhile?: () => Promise<void>): Promise<void> {
    const answers = this.group.takeCursors(places).map((cursor) => ({ cursor, page: this.#page(cursor) }));
    await meanwhile?.();
    for (const { cursor, page } of answers) this.group.handOut(cursor, page);
  }

  async readAll(places: number): Promise<void> {
    for (const reader of this.readers) await this.take(reader);
    for (let statements = 0; this.group.isDue; statements++) {
      if (statements > 1_000) throw new Error("It asks without end.");
      await this.read(places);
      for (const reader of this.readers) await this.take(reader);
    }
  }

  #page({ after = this.last }: Cursor): EventPage {
    const numbers = range(after, Math.min(this.last, after + pageSize));
    const isComplete = numbers.length < pageSize;
    return {
      events: numbers.map((number) => ({ rowId: String(number), key: "1", number, position: String(number) })),
      reached: isComplete ? this.last : numbers.at(-1),
      isComplete,
      hasGap: false,
      refusedViewerIds: new Set(),
      hiddenRows: new Map(),
    };
  }
}

function range(after: number, last: number): number[] {
  return Array.from({ length: last - after }, (_, index) => after + index + 1);
}

for (let after = 0; after <= 9; after++) {
  test(`a subscriber that starts after ${after} of 9 receives the same read as the live ones`, async () => {
    const chat = new Chat(5);
    chat.subscribe(5);
    await chat.readAll(9);
    chat.add(4);
    chat.subscribe(after);
    await chat.readAll(9);
    assert.deepEqual(
      chat.readers.map(({ had }) => had),
      [range(5, 9), range(after, 9)],
    );
  });
}

test("in any order of subscribing, writing, reading and taking, no subscriber misses a message or gets it twice", async () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = new Random(seed);
    const chat = new Chat(random.below(10));
    const happenings = [
      async () => chat.add(random.below(6)),
      async () => chat.subscribe(chat.last),
      async () => chat.subscribe(random.below(chat.last + 1)),
      async () => {
        for (const reader of chat.readers) await chat.take(reader, random.below(8));
      },
      async () => {
        const [left] = chat.readers.splice(random.below(chat.readers.length + 1), 1);
        if (random.chance(0.5)) await left?.subscriber.return();
        else if (left) chat.readers.push(left);
      },
    ];
    const happen = async () => random.pick(happenings)();
    for (let turn = 0; turn < 30; turn++) {
      await happen();
      await chat.read(1 + random.below(3), random.chance(0.5) ? happen : undefined);
    }
    await chat.readAll(1 + random.below(3));
    for (const { after, had } of chat.readers) assert.deepEqual(had, range(after, chat.last));
  }
});
