import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FormatError } from "@content-service/errors/formatError.ts";
import cors from "cors";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { Logger } from "pino";
import { MalformedRequest } from "../graphql/request/readRequest.ts";
import { bytesOf } from "../graphql/results.ts";
import type { ByteLedger } from "../memory/ByteLedger.ts";
import type { Metrics } from "../observe/Metrics.ts";
import type { Readiness } from "../observe/Readiness.ts";
import { logRequests } from "../observe/requestLog.ts";
import type { Settings } from "../settings.ts";
import { type ClientAddress, pathOf, requestIdOf } from "./arrival.ts";
import { frontPage } from "./frontPage.ts";
import { graphiqlAssets, graphiqlPage, type SampleSignIns } from "./graphiql/graphiql.ts";
import { type EndpointParts, graphqlEndpoint } from "./graphqlEndpoint.ts";
import { rateLimitHeaders, readAfterHeader, securityHeaders } from "./headers.ts";
import { probes } from "./probes.ts";
import { sendOutcome } from "./sendOutcome.ts";
import { watchUnread } from "./watchUnread.ts";

export interface HttpSettings
  extends Pick<
    Settings,
    "graphiql" | "introspection" | "corsOrigins" | "bodyLimit" | "cacheSeconds" | "cacheTagHeader" | "responseTimeoutMs"
  > {
  /** The page offers these. Undefined: the database has no sample content. */
  sampleSignIns?: SampleSignIns | undefined;
}

export interface HttpParts extends EndpointParts {
  readiness: Readiness;
  ledger: ByteLedger;
  metrics: Metrics;
  log: Logger;
  formatError: FormatError;
  clientAddress: ClientAddress;
  /** The page of mails; undefined for none. */
  mails?: RequestHandler | undefined;
}

/**
 * Everything that the service offers over HTTP (docs/decisions.md, "HTTP"). Express has all paths but the endpoint's: its
 * routing and its own prototypes of requests and responses take a good part of a short request.
 */
export function createHttpApp(parts: HttpParts, settings: HttpSettings): RequestListener {
  const { corsOrigins } = settings;
  const { readiness, ledger, metrics, log, clientAddress } = parts;
  const page = settings.graphiql ? graphiqlPage(settings.sampleSignIns) : undefined;
  const endpoint = graphqlEndpoint(parts, settings, page);
  const others = otherPaths(parts, settings);
  const noteRequest = logRequests(log, metrics);
  const allowOrigins = corsOrigins.length > 0 ? allow(corsOrigins) : undefined;

  return (request, response) => {
    const path = pathOf(request);
    const address = clientAddress(request);
    const account = ledger.account(address);
    const requestId = requestIdOf(request);
    noteRequest({ requestId, method: request.method, path: path ?? "" }, response);
    response.setHeader("X-Request-Id", requestId).setHeaders(securityHeaders);
    watchUnread(response, account, settings.responseTimeoutMs);
    if (readiness.asksToReconnect) response.setHeader("Connection", "close");
    // Of several, two proxies may read different ones (RFC 9112, 3.2).
    const hasHost = request.headersDistinct.host?.length === 1;
    const route = async () => {
      if (!hasHost) throw new MalformedRequest("A request names its Host, once.", 400);
      if (path === undefined) throw new MalformedRequest("The request target is not a URL.", 400);
      if (path === "/graphql" || path === "/graphql/") await endpoint(request, response, address, account);
      else others(request, response);
    };
    const next = () => {
      route().catch((error) => respondWithError(parts, error, request, response));
    };
    if (allowOrigins && hasHost) allowOrigins(request, response, next);
    else next();
  };
}

function allow(origin: string[]) {
  return cors({
    origin,
    // Any header is allowed: clients and tracing libraries add their own, and no cookie identifies anybody here.
    methods: ["GET", "POST"],
    exposedHeaders: ["Retry-After", "X-Request-Id", readAfterHeader, ...rateLimitHeaders],
    maxAge: 3_600,
  });
}

function otherPaths(parts: HttpParts, settings: HttpSettings): Express {
  const { pipeline, readiness, metrics, mails } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  app.use(probes(readiness, metrics));
  app.use(frontPage(() => pipeline.served.schema, { ...settings, mails: mails !== undefined }));
  if (mails) app.use(mails);
  if (settings.graphiql) app.use(graphiqlAssets());
  app.use(() => {
    throw new MalformedRequest("There is nothing here. The endpoint is /graphql.", 404, { code: "NOT_FOUND" });
  });
  // Express knows it by its four parameters.
  const handleError: ErrorRequestHandler = (error, request, response, _next) =>
    respondWithError(parts, error, request, response);
  app.use(handleError);
  return app;
}

/** Answers errors outside the pipeline: a malformed request with its status, any other as an internal error. Never throws. */
async function respondWithError(
  { formatError, ledger }: Pick<HttpParts, "formatError" | "ledger">,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isMalformed = error instanceof MalformedRequest;
  const errors = [formatError(error)];
  const outcome = { errors, isRequestError: true, ...(isMalformed ? { malformed: error } : null) };
  const held = ledger.account(undefined).hold("results");
  held.keep(bytesOf({ result: { errors } }));
  try {
    await sendOutcome(request, response, outcome, held);
  } catch {
    // A part of another response is sent already.
    response.destroy();
  } finally {
    held.release();
  }
}
