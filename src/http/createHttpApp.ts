import cors from "cors";
import express, { type ErrorRequestHandler, type Express } from "express";
import type { Logger } from "pino";
import type { FormatError } from "../errors/formatError.ts";
import type { Metrics } from "../observe/Metrics.ts";
import type { Readiness } from "../observe/Readiness.ts";
import { logRequests } from "../observe/requestLog.ts";
import type { Settings } from "../settings.ts";
import { answer } from "./answer.ts";
import { graphiqlAssets, graphiqlPage, type SampleSignIns } from "./graphiql/graphiql.ts";
import { type EndpointParts, graphqlEndpoint, rateLimitHeaders } from "./graphqlEndpoint.ts";
import { HttpError } from "./HttpError.ts";
import { probes } from "./probes.ts";
import { requestId } from "./requestId.ts";
import { securityHeaders } from "./securityHeaders.ts";
import { type UnreadAnswerSettings, UnreadAnswers } from "./UnreadAnswers.ts";

export type HttpSettings = Pick<Settings, "graphiql" | "corsOrigins" | "trustProxy" | "bodyLimit" | "cacheSeconds"> &
  UnreadAnswerSettings & {
    /** The page offers these. Undefined: the database has no sample content. */
    sampleSignIns?: SampleSignIns | undefined;
  };

export interface HttpParts extends Omit<EndpointParts, "bodyLimit" | "cacheSeconds" | "page"> {
  readiness: Readiness;
  metrics: Metrics;
  log: Logger;
  formatError: FormatError;
}

/** Everything that the service offers over HTTP (docs/decisions.md, "HTTP"). */
export function createHttpApp(parts: HttpParts, settings: HttpSettings): Express {
  const { graphiql, corsOrigins, trustProxy, bodyLimit, cacheSeconds } = settings;
  const { readiness, metrics, log, formatError } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  if (trustProxy !== "") app.set("trust proxy", trustProxy);
  app.use(requestId, logRequests(log, metrics), securityHeaders, new UnreadAnswers(settings).watchAll());
  app.use((request, response, next) => {
    // While draining, ask keep-alive clients to reconnect, so that a load balancer can send them elsewhere.
    if (readiness.isStopping) response.setHeader("Connection", "close");
    if (request.headers.host === undefined) throw new HttpError(400, "A request names its Host.");
    next();
  });
  if (corsOrigins.length > 0) {
    app.use(
      cors({
        origin: corsOrigins,
        // Any header is allowed: clients and tracing libraries add their own, and no cookie identifies anybody here.
        methods: ["GET", "POST"],
        exposedHeaders: ["Retry-After", "X-Request-Id", ...rateLimitHeaders],
        maxAge: 3_600,
      }),
    );
  }
  app.use(probes(readiness, metrics));
  if (graphiql) app.use(graphiqlAssets());
  const page = graphiql ? graphiqlPage(settings.sampleSignIns) : undefined;
  app.all(["/graphql", "/graphql/"], graphqlEndpoint({ ...parts, bodyLimit, cacheSeconds, page }));
  if (page) app.get("/", (_request, response) => response.redirect("/graphql"));
  app.use(() => {
    throw new HttpError(404, "There is nothing here. The endpoint is /graphql.");
  });
  app.use(answerError(formatError));
  return app;
}

/** Answers errors outside the pipeline: a malformed request with its status, any other as an internal error. */
function answerError(formatError: FormatError): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (response.headersSent) return next(error);
    const isMalformed = error instanceof HttpError;
    const result = { errors: [formatError(error)], ...(isMalformed ? null : { data: null }) };
    const outcome = { result, isRequestError: true, ...(isMalformed ? { malformed: error } : null) };
    answer(request, response, outcome).catch(next);
  };
}
