import { type ApiError, invalidInput, notFound } from "@content-service/errors/ApiError.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { inParts, type Opening, type OpeningResult, openStreams } from "./statements.ts";

interface Waiting {
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
 *   (ListeningConnection.askAndHear), so none is overlooked. An event committed before the request but notified after it
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

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * @returns the number to start after
   * @throws NOT_FOUND when the viewer may not read the key; VALIDATION_ERROR when nothing can start after `afterId`
   */
  add(opening: Opening, session: ListeningConnection | undefined, floor: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ opening, session, floor, lowestNotified: Number.POSITIVE_INFINITY, resolve, reject });
    });
  }

  notified(streamId: number, key: string, number: number): void {
    for (const waiting of this.#waiting) {
      const { opening } = waiting;
      if (opening.stream.id !== streamId || opening.key !== key) continue;
      waiting.lowestNotified = Math.min(waiting.lowestNotified, number);
    }
  }

  /** Opens those that have waited longest. If it rejects, they wait for the next call. */
  async open(connection: ListeningConnection): Promise<void> {
    const [taken = []] = inParts([...this.#waiting], ({ opening }) => opening.stream);
    const results = await openStreams(
      connection,
      taken.map(({ opening, session }) => (session === connection ? { ...opening, snapshot: undefined } : opening)),
    );
    for (const [index, waiting] of taken.entries()) {
      this.#waiting.delete(waiting);
      const result = results[index] as OpeningResult;
      // Numbers of another run may have been lost.
      const floor = result.isSameRun || waiting.session === connection ? waiting.floor : 0;
      settle({ ...waiting, floor }, result);
    }
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}

function settle(waiting: Waiting, { mayRead, start }: OpeningResult): void {
  const { opening, floor, lowestNotified, resolve, reject } = waiting;
  if (!mayRead) reject(notFound());
  else if (start === undefined) reject(noSuchEvent(opening.unknownAfter));
  else if (opening.afterId !== undefined) resolve(start);
  else resolve(Math.max(floor, Math.min(start, lowestNotified - 1)));
}

function noSuchEvent(message: string): ApiError {
  const error = {
    path: ["after"],
    field: "after",
    code: "INVALID_REFERENCE",
    message,
  };
  return invalidInput([error]);
}
