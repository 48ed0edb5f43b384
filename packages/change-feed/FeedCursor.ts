import type { Change, EndReason, FeedSubscription } from "./Feed.ts";

/** The group that a subscriber belongs to. */
export interface SubscriberOwner {
  readonly key: string;
  /** Called when a consumer has taken all waiting events. */
  drained(): void;
  /** Called once, for every reason. */
  ended(subscriber: FeedCursor): void;
}

/** The progress of a subscription that starts in the past. Each is called once, at the latest at the end. */
export interface CatchUp {
  /** The first page has been read. */
  begun(): void;
  /** Nothing older than the subscription is left to read. */
  caughtUp(): void;
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined };

/**
 * One subscription: the consumer's side (FeedSubscription) and the stream's side. Tens of thousands may be idle, so nothing is
 * allocated before it is needed.
 */
export class FeedCursor implements FeedSubscription {
  readonly viewerId: string;
  reason: EndReason | undefined;
  /** Every event up to this number has been received, or is older than the subscription. */
  position: number;
  /** The mark of the event with that number; undefined while it is not known. */
  mark: number | undefined;
  readonly #owner: SubscriberOwner;
  #begun: (() => void) | undefined;
  #caughtUp: (() => void) | undefined;
  #isOpen = true;
  #waiting: Change[] = [];
  /** The call of next() that waits for an event. */
  #asking: ((result: IteratorResult<Change>) => void) | undefined;
  #ended: PromiseWithResolvers<EndReason | undefined> | undefined;

  /** @param position the events after this number are received */
  constructor(owner: SubscriberOwner, viewerId: string, position: number, catchUp?: CatchUp) {
    this.#owner = owner;
    this.viewerId = viewerId;
    this.position = position;
    this.#begun = catchUp?.begun;
    this.#caughtUp = catchUp?.caughtUp;
  }

  get key(): string {
    return this.#owner.key;
  }

  get ended(): Promise<EndReason | undefined> {
    this.#ended ??= Promise.withResolvers();
    if (!this.#isOpen) this.#ended.resolve(this.reason);
    return this.#ended.promise;
  }

  get waiting(): readonly Change[] {
    return this.#waiting;
  }

  get isDrained(): boolean {
    return this.#waiting.length === 0;
  }

  /** How many events wait for the consumer. */
  get backlog(): number {
    return this.#waiting.length;
  }

  markBegun(): void {
    this.#begun?.();
    this.#begun = undefined;
  }

  markCaughtUp(): void {
    this.#caughtUp?.();
    this.#caughtUp = undefined;
  }

  /** Everything up to this number has been received. */
  reach(number: number, mark: number | undefined): void {
    if (number > this.position) [this.position, this.mark] = [number, mark];
    else if (number === this.position) this.mark ??= mark;
  }

  /** Takes the events that are new to this subscription. @returns how many were taken */
  give(events: readonly Change[]): number {
    let taken = 0;
    for (const event of events) {
      if (!this.#isOpen || event.number <= this.position) continue;
      this.reach(event.number, event.mark);
      if (this.#asking) this.#settle({ done: false, value: event });
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
    this.#settle(done);
    this.#owner.ended(this);
    this.#ended?.resolve(reason);
    this.markBegun();
    this.markCaughtUp();
  }

  next(): Promise<IteratorResult<Change>> {
    const value = this.#waiting.shift();
    if (value) {
      if (this.isDrained) this.#owner.drained();
      return Promise.resolve({ done: false, value });
    }
    if (!this.#isOpen) return Promise.resolve(done);
    return new Promise((resolve) => {
      this.#asking = resolve;
    });
  }

  return(): Promise<IteratorResult<Change>> {
    this.end();
    return Promise.resolve(done);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  #settle(result: IteratorResult<Change>): void {
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.(result);
  }
}
