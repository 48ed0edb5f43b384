import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { GraphQLSchema } from "graphql";
import helmet from "helmet";
import type { Logger } from "pino";
import { makeSchema } from "postgraphile";
import { createPool } from "./database/pool.ts";
import { Engine } from "./graphql/Engine.ts";
import { makePrepareDocument } from "./graphql/prepareDocument.ts";
import { graphiqlAssets, graphiqlPage } from "./http/graphiql.ts";
import { graphqlEndpoint } from "./http/graphqlEndpoint.ts";
import { createTokenSigner } from "./identity/signToken.ts";
import type { TokenSettings } from "./identity/tokenSettings.ts";
import { createTokenVerifier } from "./identity/verifyToken.ts";
import { MessageStream } from "./messages/MessageStream.ts";
import { makePreset } from "./preset.ts";
import { SocketServer, type SocketServerSettings } from "./websocket/SocketServer.ts";

/** What the running service needs to know; src/settings.ts reads it from the environment. */
export interface AppSettings {
  /** Origins that browsers may call from, besides the service's own. */
  corsOrigins: string[];
  /** Connection string of the API's login role: see src/database/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
  host: string;
  port: number;
  token: TokenSettings;
  introspection: boolean;
  graphiql: boolean;
  /** Other bounds for WebSockets than the usual ones. */
  limits?: SocketServerSettings["limits"];
}

export interface App {
  /** Where the service is, without a slash at the end: `http://127.0.0.1:4000`. */
  url: string;
  engine: Engine;
  schema: GraphQLSchema;
  /** How many operations run on WebSockets. */
  readonly subscriptions: number;
  /** Answers what is under way, then lets go of everything. */
  close(): Promise<void>;
}

/** Builds the schema from the database as it is, and serves it. */
export async function startApp(settings: AppSettings, log: Logger): Promise<App> {
  const pool = createPool(settings, log);
  const verifyToken = await createTokenVerifier(settings.token);
  const { schema, resolvedPreset } = await makeSchema(makePreset(pool));
  const prepareDocument = makePrepareDocument(schema, settings.introspection);
  const signToken = createTokenSigner(settings.token);
  const messages = new MessageStream({ connectionString: settings.apiDatabaseUrl, log });
  await messages.start();
  const engine = new Engine({ schema, resolvedPreset, signToken, prepareDocument, messages, log });

  const app = express();
  app.disable("x-powered-by");
  if (settings.graphiql) app.use(graphiqlAssets());
  app.use(helmet({ contentSecurityPolicy: settings.graphiql ? false : undefined } as never));
  app.use("/graphql", graphqlEndpoint(engine, verifyToken, settings.graphiql ? graphiqlPage() : undefined));

  const server = createServer(app);
  const sockets = new SocketServer(engine, verifyToken, settings);
  sockets.attach(server);
  const address = await listen(server, settings);
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    engine,
    schema,
    get subscriptions() {
      return sockets.subscriptions;
    },
    async close() {
      sockets.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await closed;
      await messages.stop();
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
