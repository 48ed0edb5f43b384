import { EventEmitter, once } from "node:events";
import type { Change, FeedSubscription } from "postgraphile-change-feed";

/** Reads a subscription to its end and keeps what came. */
export class Reader {
  readonly received: Change[] = [];
  /** When each of them came: performance.now(). */
  readonly times: number[] = [];
  readonly finished: Promise<void>;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);

  constructor(subscription: FeedSubscription) {
    this.finished = this.#read(subscription);
  }

  get numbers(): number[] {
    return this.received.map(({ number }) => number);
  }

  /** Waits until the message with that number, or a later one, has come. */
  async upTo(number: number): Promise<void> {
    while ((this.received.at(-1)?.number ?? 0) < number) await once(this.#arrivals, "message");
  }

  async #read(subscription: FeedSubscription): Promise<void> {
    for await (const message of subscription) {
      this.received.push(message);
      this.times.push(performance.now());
      this.#arrivals.emit("message");
    }
  }
}
