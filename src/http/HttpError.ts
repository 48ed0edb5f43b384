import { MalformedRequest } from "../graphql/request/readRequest.ts";

/** An HTTP request that is not a GraphQL request. Its status applies whatever the client accepts. */
export class HttpError extends MalformedRequest {
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message, status);
    this.headers = headers;
  }
}
