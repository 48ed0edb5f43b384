import cors from "cors";
import express, { type Express } from "express";
import type { Logger } from "pino";
import type { Metrics } from "../observe/Metrics.ts";
import type { Readiness } from "../observe/Readiness.ts";
import { observe } from "../observe/requestLog.ts";
import { graphiqlAssets, graphiqlPage } from "./graphiql.ts";
import { type EndpointParts, graphqlEndpoint, rateLimitHeaders } from "./graphqlEndpoint.ts";
import { handleError } from "./handleError.ts";
import { HttpRefusal } from "./httpRefusal.ts";
import { probes } from "./probes.ts";
import { requestId } from "./requestId.ts";
import { securityHeaders } from "./securityHeaders.ts";

export interface HttpSettings {
  /** Whether browsers that open the endpoint get a page. */
  graphiql: boolean;
  /** Origins whose pages may call from a browser. */
  corsOrigins: string[];
  /** Addresses, networks or a number of proxies whose `X-Forwarded-For` is believed; see express, "trust proxy". */
  trustProxy: string | number;
  /** The longest body that is read, in bytes. */
  bodyLimit: number;
}

export interface HttpParts extends Omit<EndpointParts, "bodyLimit" | "page"> {
  readiness: Readiness;
  metrics: Metrics;
  log: Logger;
}

/** All that is served over HTTP (DECISIONS.md, "HTTP"). */
export function createHttpApp(parts: HttpParts, settings: HttpSettings): Express {
  const { graphiql, corsOrigins, trustProxy, bodyLimit } = settings;
  const { engine, readiness, metrics, log } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.enable("case sensitive routing");
  app.enable("strict routing");
  if (trustProxy !== "") app.set("trust proxy", trustProxy);
  app.use(requestId, observe(log, metrics), securityHeaders);
  app.use((request, response, next) => {
    // Who keeps a connection open is to open the next one elsewhere.
    if (readiness.isStopping) response.setHeader("Connection", "close");
    if (request.headers.host === undefined) throw new HttpRefusal(400, "A request names its Host.");
    next();
  });
  if (corsOrigins.length > 0) {
    app.use(
      cors({
        origin: corsOrigins,
        methods: ["POST"],
        allowedHeaders: ["Authorization", "Content-Type", "X-Request-Id"],
        exposedHeaders: ["Retry-After", "X-Request-Id", ...rateLimitHeaders],
        maxAge: 3_600,
      }),
    );
  }
  app.use(probes(readiness, metrics));
  if (graphiql) app.use(graphiqlAssets());
  app.all("/graphql", graphqlEndpoint({ ...parts, bodyLimit, page: graphiql ? graphiqlPage() : undefined }));
  app.use(() => {
    throw new HttpRefusal(404, "There is nothing here. The endpoint is /graphql.");
  });
  app.use(handleError(engine));
  return app;
}
