import { ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { ClientCounts, requesterKey } from "./clients.ts";

/** When to try again, in seconds. */
const retryAfter = 1;

/**
 * Bounds the memory of requests that are being read, that wait, or that are executed. A client may hold as many bytes as are still free.
 * So one client holds half of all at most, two hold a third each, and there is room for the next one.
 */
export class RequestBytes {
  readonly #max: number;
  readonly #held = new ClientCounts();

  constructor(max: number) {
    this.#max = max;
  }

  get held(): number {
    return this.#held.total;
  }

  /** @param address of the client */
  hold(address: string): HeldBytes {
    return new HeldBytes(this.#max, this.#held, requesterKey(address));
  }
}

/** The bytes of one request or subscription. */
export class HeldBytes {
  readonly #max: number;
  readonly #held: ClientCounts;
  readonly #client: string;
  #own = 0;

  constructor(max: number, held: ClientCounts, client: string) {
    this.#max = max;
    this.#held = held;
    this.#client = client;
  }

  /** @throws RATE_LIMITED or SERVICE_UNAVAILABLE when there is no room for them */
  add(bytes: number): void {
    this.#held.add(this.#client, bytes);
    this.#own += bytes;
    const ofClient = this.#held.of(this.#client);
    if (ofClient <= this.#max - this.#held.total) return;
    if (ofClient === this.#own) throw unavailable("The service is busy with large requests. Try again.");
    const message = `Your other requests and subscriptions take too much memory for this one. Try again in ${retryAfter} second.`;
    throw new ApiError("RATE_LIMITED", message, { retryAfter });
  }

  /** @param rest bytes that stay */
  release(rest = 0): void {
    this.#held.add(this.#client, rest - this.#own);
    this.#own = rest;
  }
}
