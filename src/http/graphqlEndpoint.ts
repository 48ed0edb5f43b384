import contentType from "content-type";
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from "express";
import Negotiator from "negotiator";
import { Refusal } from "../errors.ts";
import { type Engine, type GraphQLRequest, refusal } from "../graphql/Engine.ts";
import { readBearer } from "../identity/readBearer.ts";
import type { VerifyToken } from "../identity/verifyToken.ts";

const bodyLimitBytes = 1_048_576;
const json = "application/json";
const graphqlJson = "application/graphql-response+json";

/** The status under which each code is sent to clients that read statuses (`application/graphql-response+json`). */
const statusByCode: Record<string, number> = {
  UNAUTHORIZED: 401,
  RATE_LIMITED: 429,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_SERVER_ERROR: 500,
};

/** A request that is no GraphQL request. These statuses hold whatever the client accepts. */
class HttpRefusal extends Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super("VALIDATION_ERROR", message);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * `POST /graphql` (specification 4.1), by the rules of GraphQL over HTTP and the table in DECISIONS.md, "HTTP". Every
 * answer is a GraphQL response in JSON.
 *
 * @param page answers `GET` where there is a page to show
 */
export function graphqlEndpoint(engine: Engine, verifyToken: VerifyToken, page?: RequestHandler): Router {
  const router = Router();
  router.all("/", (request, response, next) => {
    if (request.method === "GET" && page && request.accepts([json, graphqlJson, "text/html"]) === "text/html") {
      return page(request, response, next);
    }
    if (request.method !== "POST") throw new HttpRefusal(405, "A GraphQL request is a POST.", { Allow: "POST" });
    acceptedType(request);
    checkContentType(request.headers["content-type"]);
    next();
  });
  router.use(express.raw({ type: () => true, limit: bodyLimitBytes }));
  router.post("/", async (request, response) => {
    const userId = await identify(request, verifyToken);
    const { result, isRequestError } = await engine.answer(readRequest(request.body), { userId, address: request.ip });
    send(request, response, result, isRequestError ? 400 : 200);
  });
  router.use(sendRefusal(engine));
  return router;
}

/** Before any database connection is taken: a bad token is refused, never treated as anonymous. */
async function identify(request: Request, verifyToken: VerifyToken): Promise<string | undefined> {
  const token = readBearer(request.headersDistinct.authorization);
  return token === undefined ? undefined : (await verifyToken(token)).userId;
}

function acceptedType(request: Request): string {
  const accepted = new Negotiator(request).mediaType([json, graphqlJson]);
  if (accepted === undefined) throw new HttpRefusal(406, `Answers are ${json} or ${graphqlJson}.`);
  return accepted;
}

function checkContentType(header: string | undefined): void {
  let type: contentType.ParsedMediaType | undefined;
  try {
    type = contentType.parse(header ?? "");
  } catch {
    type = undefined;
  }
  const charset = type?.parameters.charset?.toLowerCase() ?? "utf-8";
  if (type?.type !== json || !["utf-8", "utf8"].includes(charset)) {
    throw new HttpRefusal(415, `A GraphQL request is sent as ${json} in UTF-8.`);
  }
}

function readRequest(body: unknown): GraphQLRequest {
  const parsed = parseBody(body);
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) {
    throw new HttpRefusal(400, "The body is not a JSON object.");
  }
  const { query, variables, operationName, extensions } = parsed as Record<string, unknown>;
  if (typeof query !== "string") throw new HttpRefusal(400, "query is missing, or is not a string.");
  return {
    query,
    variables: readObject("variables", variables),
    operationName: readOperationName(operationName),
    extensions: readObject("extensions", extensions),
  };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function parseBody(body: unknown): unknown {
  try {
    return JSON.parse(utf8.decode(body as Buffer));
  } catch {
    throw new HttpRefusal(400, "The body is not JSON in UTF-8.");
  }
}

function readObject(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new HttpRefusal(400, `${name} is not an object.`);
  return value as Record<string, unknown>;
}

function readOperationName(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new HttpRefusal(400, "operationName is not a string.");
  return value;
}

function send(request: Request, response: Response, result: object, statusForGraphQL: number): void {
  const type = acceptedType(request);
  response.status(type === graphqlJson ? statusForGraphQL : 200);
  // Not response.type(), which would add a charset that JSON has no parameter for.
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  response.setHeader("Vary", "Accept");
  response.end(JSON.stringify(result));
}

const sendRefusal =
  (engine: Engine): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const known = error instanceof Refusal ? error : (readingRefusal(error) ?? engine.unforeseen(error));
    if (known instanceof HttpRefusal) {
      response.status(known.status).set(known.headers).setHeader("Content-Type", `${json}; charset=utf-8`);
      response.end(JSON.stringify({ errors: [refusal(known)] }));
      return;
    }
    const status = statusByCode[known.code] ?? 400;
    send(request, response, { errors: [refusal(known)], data: null }, status);
  };

/** What express.raw() found wrong with the body on its way in. */
function readingRefusal(error: unknown): HttpRefusal | undefined {
  const status = (error as { status?: unknown }).status;
  if (status === 413) return new HttpRefusal(413, `A request has at most ${bodyLimitBytes} bytes.`);
  if (status === 415) return new HttpRefusal(415, "This content encoding is not supported.");
  return typeof status === "number" && status >= 400 && status < 500
    ? new HttpRefusal(status, "The body could not be read.")
    : undefined;
}
