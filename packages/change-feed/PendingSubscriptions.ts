import { notFound } from "@content-service/errors/ApiError.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { noPosition, noSuchPosition } from "./position.ts";
import { positionLost } from "./refusals.ts";
import { inParts, type Opening, type OpeningResult, type Statements } from "./Statements.ts";

/** A subscription that has been requested. */
export interface Waiting {
  opening: Opening;
  /** The connection that listened when the subscription was requested, if one did. */
  session: ListeningConnection | undefined;
  /** Everything up to this number had been read before the subscription was requested. */
  floor: number;
  /** The lowest number of the key that a notification has named since. */
  lowestNotified: number;
  resolve(start: number): void;
  reject(reason: Error): void;
}

/**
 * Subscriptions that have been requested and wait for their start. One statement opens many of them.
 *
 * An event committed after the request must arrive, but the statement that looks up the start may see that event already.
 * So the start is moved back:
 *
 * - If one connection has listened from the request to the response, the start is moved to before the lowest number notified
 *   since. The response is awaited until the notifications of all that the statement saw have arrived
 *   (ListeningConnection.withBarrier), so none is overlooked. An event committed before the request but notified after it
 *   is delivered as well: nothing distinguishes the two.
 * - Otherwise notifications may have been lost, and the start is looked up by transaction ids instead: every transaction
 *   committed after the last response before the request has an id not below that response's horizon. That leaves nothing out,
 *   but starts up to a heartbeat too early, or as early as the oldest transaction of that time. So it is not always done.
 *   If the server has recovered since (a crash, a promotion), it has given some ids again, and lost events of that time. Then no
 *   event of its new run is older than the request.
 *
 * Events that other subscribers had received before the request are older than it, even when their notifications are late
 * or a transaction is old. This is the floor.
 */
export class PendingSubscriptions {
  readonly #waiting = new Set<Waiting>();
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * @param signal is aborted when the client does not wait any more
   * @returns the number to start after
   * @throws NOT_FOUND when the viewer may not read the key; VALIDATION_ERROR when `after` is no position, POSITION_LOST when nothing can start there; the
   * reason of `signal`
   */
  async add(
    opening: Opening,
    session: ListeningConnection | undefined,
    floor: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiting = { opening, session, floor, lowestNotified: Number.POSITIVE_INFINITY, resolve, reject };
    this.#waiting.add(waiting);
    const leave = () => this.#reject(waiting, signal?.reason);
    signal?.addEventListener("abort", leave, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  notified(key: string, number: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.opening.key !== key) continue;
      waiting.lowestNotified = Math.min(waiting.lowestNotified, number);
    }
  }

  /** Those that have waited longest, as many as one statement opens. */
  next(): Waiting[] {
    const [taken = []] = inParts([...this.#waiting], ({ opening }) => opening.stream);
    return taken;
  }

  /** If it rejects, they wait for the next call. */
  async open(connection: ListeningConnection, listener: ListeningConnection, taken: readonly Waiting[]): Promise<void> {
    const results = await this.#statements.openStreams(
      connection,
      listener,
      taken.map(({ opening, session }) => (session === listener ? { ...opening, snapshot: undefined } : opening)),
    );
    for (const [index, waiting] of taken.entries()) {
      this.#waiting.delete(waiting);
      const result = results[index] as OpeningResult;
      // Numbers of another run may have been lost.
      const floor = result.isSameRun || waiting.session === listener ? waiting.floor : 0;
      settle({ ...waiting, floor }, result);
    }
  }

  reject(taken: readonly Waiting[], reason: Error): void {
    for (const waiting of taken) this.#reject(waiting, reason);
  }

  rejectAll(reason: Error): void {
    this.reject([...this.#waiting], reason);
  }

  #reject(waiting: Waiting, reason: Error): void {
    this.#waiting.delete(waiting);
    waiting.reject(reason);
  }
}

function settle(waiting: Waiting, { mayRead, start }: OpeningResult): void {
  const { opening, floor, lowestNotified, resolve, reject } = waiting;
  if (!mayRead) reject(notFound());
  else if (opening.after === noPosition) reject(noSuchPosition(opening.unknownAfter));
  else if (start === undefined) reject(positionLost(opening.unknownAfter));
  else if (opening.after !== undefined) resolve(start);
  else resolve(Math.max(floor, Math.min(start, lowestNotified - 1)));
}
