import type { StreamEvent } from "./StreamEvent.ts";
import type { EndReason, StreamSubscription } from "./StreamSubscription.ts";

export interface SubscriberSettings {
  key: string;
  viewerId: string;
  /** At most so many events wait for the consumer. */
  capacity: number;
  /** Called when the consumer has taken all waiting events. */
  onDrained(subscriber: Subscriber): void;
  /** Called once, for every reason. */
  onEnded(subscriber: Subscriber): void;
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** One subscription: the consumer's side (StreamSubscription) and the stream's side. */
export class Subscriber implements StreamSubscription {
  readonly key: string;
  readonly viewerId: string;
  readonly ended: Promise<EndReason | undefined>;
  /** Resolves when nothing older than the subscription is left to read, and at the end. Never rejects. */
  readonly caughtUp: Promise<void>;
  /** Resolves when the first page has been read, and at the end. Never rejects. */
  readonly begun: Promise<void>;
  reason: EndReason | undefined;
  /** Every event up to this number has been received, or is older than the subscription. */
  position = 0;
  #isOpen = true;
  #waiting: StreamEvent[] = [];
  /** Calls of next() that wait for an event. */
  #asking: ((result: IteratorResult<StreamEvent>) => void)[] = [];
  readonly #settings: SubscriberSettings;
  readonly #resolveEnded: (reason: EndReason | undefined) => void;
  readonly #resolveCaughtUp: () => void;
  readonly #resolveBegun: () => void;

  constructor(settings: SubscriberSettings) {
    this.key = settings.key;
    this.viewerId = settings.viewerId;
    this.#settings = settings;
    const { promise, resolve } = Promise.withResolvers<EndReason | undefined>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    const caughtUp = Promise.withResolvers<void>();
    this.caughtUp = caughtUp.promise;
    this.#resolveCaughtUp = caughtUp.resolve;
    const begun = Promise.withResolvers<void>();
    this.begun = begun.promise;
    this.#resolveBegun = begun.resolve;
  }

  markBegun(): void {
    this.#resolveBegun();
  }

  markCaughtUp(): void {
    this.#resolveCaughtUp();
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Takes the events that are new to this subscription. Ends it when they exceed the capacity.
   *
   * @returns how many were taken
   */
  give(events: readonly StreamEvent[]): number {
    let taken = 0;
    for (const event of events) {
      if (!this.#isOpen || event.number <= this.position) continue;
      this.position = event.number;
      const ask = this.#asking.shift();
      if (!ask && this.#waiting.length >= this.#settings.capacity) {
        this.end("too-slow");
        break;
      }
      if (ask) ask({ done: false, value: event });
      else this.#waiting.push(event);
      taken += 1;
    }
    return taken;
  }

  end(reason?: EndReason): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.reason = reason;
    this.#waiting = [];
    for (const ask of this.#asking.splice(0)) ask(done);
    this.#settings.onEnded(this);
    this.#resolveEnded(reason);
    this.#resolveBegun();
    this.#resolveCaughtUp();
  }

  next(): Promise<IteratorResult<StreamEvent>> {
    const value = this.#waiting.shift();
    if (value) {
      if (this.isDrained) this.#settings.onDrained(this);
      return Promise.resolve({ done: false, value });
    }
    if (!this.#isOpen) return Promise.resolve(done);
    return new Promise((resolve) => this.#asking.push(resolve));
  }

  return(): Promise<IteratorResult<StreamEvent>> {
    this.end();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }
}
