import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { GraphQLSchema } from "graphql";
import helmet from "helmet";
import type { Logger } from "pino";
import { listenForChanges } from "./database/listenForChanges.ts";
import { createPool } from "./database/pool.ts";
import { Engine } from "./graphql/Engine.ts";
import { graphiqlAssets, graphiqlPage } from "./http/graphiql.ts";
import { graphqlEndpoint } from "./http/graphqlEndpoint.ts";
import { createTokenSigner } from "./identity/signToken.ts";
import type { TokenSettings } from "./identity/tokenSettings.ts";
import { createTokenVerifier } from "./identity/verifyToken.ts";
import { buildSchema } from "./schema/buildSchema.ts";
import { oneAtATime } from "./schema/oneAtATime.ts";

/** What the running service needs to know; src/settings.ts reads it from the environment. */
export interface AppSettings {
  /** Connection string of the API's login role: see src/database/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
  host: string;
  port: number;
  token: TokenSettings;
  introspection: boolean;
  graphiql: boolean;
}

export interface App {
  /** Where the service is, without a slash at the end: `http://127.0.0.1:4000`. */
  url: string;
  engine: Engine;
  /** What is served at the moment. */
  readonly schema: GraphQLSchema;
  /**
   * Makes the schema anew from the database as it is, and serves it: done by itself after each migration. One that cannot
   * be made is logged, and the one before stays.
   *
   * @returns whether the new one is served
   */
  rebuild(): Promise<boolean>;
  /** Answers what is under way, then lets go of everything. */
  close(): Promise<void>;
}

/** Builds the schema from the database as it is, and serves it. */
export async function startApp(settings: AppSettings, log: Logger): Promise<App> {
  const pool = createPool(settings, log);
  const verifyToken = await createTokenVerifier(settings.token);
  // Listened first, read then: what changes in between is heard of.
  const changes = await listenForChanges(settings.apiDatabaseUrl, log);
  const served = await buildSchema(pool, settings.introspection);
  const engine = new Engine({ served, signToken: createTokenSigner(settings.token), log });
  const rebuild = oneAtATime(async () => {
    try {
      engine.serve(await buildSchema(pool, settings.introspection));
      log.info("the schema is the database's again");
      return true;
    } catch (error) {
      log.error({ err: error }, "the changed database makes no schema; the one before stays");
      return false;
    }
  });
  let rebuilding: Promise<unknown> | undefined;
  changes.follow(() => {
    rebuilding = rebuild();
  });

  const app = express();
  app.disable("x-powered-by");
  if (settings.graphiql) app.use(graphiqlAssets());
  app.use(helmet({ contentSecurityPolicy: settings.graphiql ? false : undefined } as never));
  app.use("/graphql", graphqlEndpoint(engine, verifyToken, settings.graphiql ? graphiqlPage() : undefined));

  const server = createServer(app);
  const address = await listen(server, settings);
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    engine,
    get schema() {
      return engine.served.schema;
    },
    rebuild,
    async close() {
      await changes.stop();
      await rebuilding;
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.end();
    },
  };
}

function listen(server: Server, { port, host }: AppSettings): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}
