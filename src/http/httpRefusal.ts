import { Refusal } from "../errors.ts";

/** A request that is no GraphQL request. Its status holds whatever the client accepts. */
export class HttpRefusal extends Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super("VALIDATION_ERROR", message);
    this.status = status;
    this.headers = headers;
  }
}
