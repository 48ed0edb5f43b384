import { ApiError, unavailable } from "@content-service/errors/ApiError.ts";
import { requesterKey } from "./requesterKey.ts";

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
  #held = 0;
  readonly #byClient = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get held(): number {
    return this.#held;
  }

  /** @param address of the client */
  hold(address: string): HeldBytes {
    const client = requesterKey(address);
    let own = 0;
    return {
      add: (bytes) => {
        this.#count(client, bytes);
        own += bytes;
        const ofClient = this.#byClient.get(client) ?? 0;
        if (ofClient <= this.#max - this.#held) return;
        if (ofClient === own) throw unavailable("The service is busy with large requests. Try again.");
        const message = `Your other requests are too large to take this one now. Try again in ${retryAfter} second.`;
        throw new ApiError("RATE_LIMITED", message, { retryAfter });
      },
      release: (rest = 0) => {
        this.#count(client, rest - own);
        own = rest;
      },
    };
  }

  #count(client: string, change: number): void {
    this.#held += change;
    const held = (this.#byClient.get(client) ?? 0) + change;
    if (held > 0) this.#byClient.set(client, held);
    else this.#byClient.delete(client);
  }
}
