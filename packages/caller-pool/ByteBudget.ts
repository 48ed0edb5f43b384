import type { ApiError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";

/** How many bytes one request may read from the database. Beyond it, the connection is cut. */
export class ByteBudget {
  readonly #max: number;
  readonly #charge: (taken: number) => void;
  #taken = 0;
  #refusal: ApiError | undefined;

  /** @param charge is called with the bytes read so far, and throws an ApiError to stop reading */
  constructor(max: number, charge: (taken: number) => void = () => {}) {
    this.#max = max;
    this.#charge = charge;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Why nothing more may be read. */
  get refusal(): ApiError | undefined {
    return this.#refusal;
  }

  take(bytes: number): void {
    this.#taken += bytes;
    try {
      if (this.#taken > this.#max) throw limitError("responseBytes", this.#max, this.#taken, true);
      this.#charge(this.#taken);
    } catch (error) {
      this.#refusal = error as ApiError;
    }
  }
}
