import { ApiError, type ErrorCode } from "@content-service/errors/ApiError.ts";
import { isObject } from "@content-service/support/isObject.ts";
import { safelyNamed } from "@content-service/support/storable.ts";

/** A GraphQL request, over any transport. */
export interface GraphQLRequest {
  query: string;
  variables: Record<string, unknown>;
  operationName: string | undefined;
  extensions: Record<string, unknown>;
}

/** A request that is not a GraphQL request at all. WebSockets are closed with 4400. */
export class MalformedRequest extends ApiError {
  /** The HTTP status. It applies whatever the client accepts. */
  readonly status: number;
  /** The headers that belong to the status. */
  readonly headers: Record<string, string>;

  constructor(
    message: string,
    status = 400,
    more: { code?: ErrorCode; reason?: string; headers?: Record<string, string> } = {},
  ) {
    const { code = "VALIDATION_ERROR", headers = {}, ...extensions } = more;
    super(code, message, extensions);
    this.status = status;
    this.headers = headers;
  }
}

/** @throws MalformedRequest unless the payload is a JSON object */
export function readPayload(payload: unknown): Record<string, unknown> {
  if (Array.isArray(payload)) {
    const message = "A batch is not supported. Send each operation as a request of its own.";
    throw new MalformedRequest(message, 400, { reason: "BATCH_NOT_SUPPORTED" });
  }
  if (!isObject(payload)) throw new MalformedRequest("The body is not a JSON object.");
  return payload;
}

/** Reads the fields that GraphQL over HTTP defines; other fields are ignored. @throws MalformedRequest */
export function readRequest({ query, variables, operationName, extensions }: Record<string, unknown>): GraphQLRequest {
  if (typeof query !== "string") throw new MalformedRequest("query is missing, or is not a string.");
  if (operationName !== undefined && operationName !== null && typeof operationName !== "string") {
    throw new MalformedRequest("operationName is not a string.");
  }
  return {
    query,
    variables: safelyNamed(readObject("variables", variables)),
    operationName: operationName || undefined,
    extensions: readObject("extensions", extensions),
  };
}

function readObject(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new MalformedRequest(`${name} is not an object.`);
  return value;
}
