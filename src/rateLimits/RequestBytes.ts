import { ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { ClientCounts, requesterKey } from "./clients.ts";

/** When to try again, in seconds. */
const retryAfter = 1;

/** The bytes of one request. */
export interface HeldBytes {
  /** @throws RATE_LIMITED or SERVICE_UNAVAILABLE when there is no room for them */
  add(bytes: number): void;
  /** @param rest bytes that stay */
  release(rest?: number): void;
}

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
    const client = requesterKey(address);
    let own = 0;
    return {
      add: (bytes) => {
        this.#held.add(client, bytes);
        own += bytes;
        const ofClient = this.#held.of(client);
        if (ofClient <= this.#max - this.#held.total) return;
        if (ofClient === own) throw unavailable("The service is busy with large requests. Try again.");
        const message = `Your other requests and subscriptions take too much memory for this one. Try again in ${retryAfter} second.`;
        throw new ApiError("RATE_LIMITED", message, { retryAfter });
      },
      release: (rest = 0) => {
        this.#held.add(client, rest - own);
        own = rest;
      },
    };
  }
}
