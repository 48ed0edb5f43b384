import { Lane } from "./Lane.ts";
import type { Listener } from "./Listener.ts";
import type { ListeningConnection, StatementLimits } from "./ListeningConnection.ts";

/** The connection is closed when nothing has needed it for a while. */
const idleMs = 30_000;

/** A connection beside the one that listens, which serves items in turn. It is open while there are some. */
export class Aside<Item> {
  readonly #listener: Listener;
  readonly #limits: StatementLimits;
  readonly #lane: Lane<Item>;
  #connection: ListeningConnection | undefined;
  #usedAt = 0;

  /** @param serve never rejects */
  constructor(listener: Listener, limits: StatementLimits, serve: (item: Item, aside: Aside<Item>) => Promise<void>) {
    this.#listener = listener;
    this.#limits = limits;
    this.#lane = new Lane((item) => serve(item, this));
  }

  add(item: Item): void {
    this.#lane.add(item);
  }

  /** @throws when the database cannot be reached */
  async connect(): Promise<ListeningConnection> {
    this.#usedAt = performance.now();
    if (!this.#connection || this.#connection.isLost) this.#connection = await this.#listener.openAside(this.#limits);
    return this.#connection;
  }

  closeIfIdle(): void {
    if (this.#lane.isIdle && performance.now() - this.#usedAt > idleMs) this.close();
  }

  close(): void {
    void this.#connection?.close();
    this.#connection = undefined;
  }
}
