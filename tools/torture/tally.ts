import { setTimeout as delay } from "node:timers/promises";
import type { Listener } from "./Listener.ts";

/** The received messages compared with the table, and the changes of inboxes with their numbers. All counts except `longestGapMs` must be zero. */
export interface Tally {
  lost: number;
  twice: number;
  outOfOrder: number;
  /** Listeners that had not received the last message, also in their inbox, when the time was over. */
  silent: number;
  /** Errors instead of messages. */
  errors: number;
  longestGapMs: number;
}

/** Every listener must have the last message within this time. */
const arrivalMs = 30_000;

/**
 * Waits until every listener has received the last message, and counts.
 *
 * @param written the ids of all messages, in order
 */
export async function tally(listeners: readonly Listener[], written: readonly string[]): Promise<Tally> {
  const until = performance.now() + arrivalMs;
  const last = written.at(-1);
  const isCurrent = ({ ids, followsInbox, newestInInbox }: Listener) =>
    ids.at(-1) === last && (!followsInbox || newestInInbox === last);
  const isDone = (listener: Listener) => listener.ids.length >= written.length && isCurrent(listener);
  while (!listeners.every(isDone) && performance.now() < until) await delay(10);
  const places = new Map(written.map((id, place) => [id, place]));
  const sum: Tally = { lost: 0, twice: 0, outOfOrder: 0, silent: 0, errors: 0, longestGapMs: 0 };
  for (const listener of listeners) {
    const { ids, times, changes, errors } = listener;
    const had = new Set(ids);
    sum.lost += written.filter((id) => !had.has(id)).length;
    sum.twice += ids.length - had.size;
    sum.outOfOrder += countPairs(ids, (one, next) => (places.get(next) ?? -1) < (places.get(one) ?? -1));
    sum.lost += countPairs(changes, (one, next) => next > one + 1);
    sum.twice += changes.length - new Set(changes).size;
    sum.outOfOrder += countPairs(changes, (one, next) => next < one);
    sum.silent += isCurrent(listener) ? 0 : 1;
    sum.errors += errors.length;
    for (const [index, time] of times.entries()) {
      sum.longestGapMs = Math.max(sum.longestGapMs, time - (times[index - 1] ?? time));
    }
  }
  return sum;
}

function countPairs<Item>(items: readonly Item[], test: (one: Item, next: Item) => boolean): number {
  return items.filter((item, index) => index > 0 && test(items[index - 1] as Item, item)).length;
}

/** Whether every listener received every message once, in order. */
export function isWhole({ lost, twice, outOfOrder, silent, errors }: Tally): boolean {
  return lost + twice + outOfOrder + silent + errors === 0;
}
