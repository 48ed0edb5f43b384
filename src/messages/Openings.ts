import { ApiError, notFound } from "../errors/ApiError.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { type Opened, type Opening, openStreams } from "./statements.ts";

interface Waiting {
  opening: Opening;
  /** The connection that listened when it was asked for, if one did. */
  session: ListeningConnection | undefined;
  /** Everything up to this number had been read before it was asked for. */
  floor: number;
  /** The lowest number that has been told of its chat since. */
  lowestTold: number;
  resolve(start: number): void;
  reject(reason: Error): void;
}

/**
 * Subscriptions that have been asked for and wait to be told where they start. All that wait are opened by one statement.
 *
 * What is committed after a subscription was asked for must arrive, though the statement that finds its start may see it
 * already. So the start is moved back:
 *
 * - If one connection has listened from the asking to the answer, to before the lowest number told since. The answer comes
 *   only after every notification of what the statement saw (ListeningConnection.askAndHear), so none is overlooked. What
 *   was committed before, but told after the asking, is given as well: nothing tells the two apart.
 * - Else notifications may have been lost, and the start is looked up by transaction ids instead: whatever was committed
 *   after the last answer that came before the asking has an id from that answer's horizon on. That leaves nothing out,
 *   but begins up to a heartbeat too early, or as early as the oldest transaction of that time, which is why it is not
 *   done always.
 *
 * What others had been given by then is from before, however late its notification or old a transaction: the floor.
 */
export class Openings {
  readonly #waiting = new Set<Waiting>();

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * @returns the number to start after
   * @throws NOT_FOUND when the viewer may not read the chat; VALIDATION_ERROR when `afterId` is no message of it
   */
  add(opening: Opening, session: ListeningConnection | undefined, floor: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ opening, session, floor, lowestTold: Number.POSITIVE_INFINITY, resolve, reject });
    });
  }

  tell(chatId: string, number: number): void {
    for (const waiting of this.#waiting) {
      if (waiting.opening.chatId === chatId) waiting.lowestTold = Math.min(waiting.lowestTold, number);
    }
  }

  /** Opens all that wait. When it rejects they go on waiting, for the next connection. */
  async openAll(connection: ListeningConnection): Promise<void> {
    const taken = [...this.#waiting];
    const opened = await openStreams(
      connection,
      taken.map(({ opening, session }) => (session === connection ? { ...opening, horizon: undefined } : opening)),
    );
    for (const [index, waiting] of taken.entries()) {
      this.#waiting.delete(waiting);
      settle(waiting, opened[index] as Opened);
    }
  }

  rejectAll(reason: Error): void {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting.clear();
  }
}

function settle({ opening, floor, lowestTold, resolve, reject }: Waiting, { mayRead, start }: Opened): void {
  if (!mayRead) reject(notFound());
  else if (start === undefined) reject(noSuchMessage());
  else if (opening.afterId !== undefined) resolve(start);
  else resolve(Math.max(floor, Math.min(start, lowestTold - 1)));
}

function noSuchMessage(): ApiError {
  const fault = {
    path: ["after"],
    field: "after",
    code: "INVALID_REFERENCE",
    message: "There is no such message in this chat.",
  };
  return new ApiError("VALIDATION_ERROR", "Input failed validation", { validationErrors: [fault] });
}
