import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import { makeSchema } from "postgraphile";
import { createPool } from "./database/pool.ts";
import { Engine } from "./graphql/Engine.ts";
import { makePrepareDocument } from "./graphql/prepareDocument.ts";
import { createHttpApp, type HttpSettings } from "./http/createHttpApp.ts";
import { createHttpServer, listen, type ServerSettings } from "./http/httpServer.ts";
import { createTokenSigner } from "./identity/signToken.ts";
import type { TokenSettings } from "./identity/tokenSettings.ts";
import { createTokenVerifier } from "./identity/verifyToken.ts";
import { makePreset } from "./preset.ts";

/** What the running service needs to know; src/settings.ts reads it from the environment. */
export interface AppSettings extends HttpSettings, ServerSettings {
  /** Connection string of the API's login role: see src/database/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  statementTimeoutMs: number;
  token: TokenSettings;
  introspection: boolean;
}

export interface App {
  /** Where the service is, without a slash at the end: `http://127.0.0.1:4000`. */
  url: string;
  engine: Engine;
  schema: GraphQLSchema;
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
  const engine = new Engine({ schema, resolvedPreset, signToken, prepareDocument, log });

  const server = createHttpServer(createHttpApp({ engine, verifyToken }, settings), settings);
  const address = await listen(server, settings);
  return {
    url: `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    engine,
    schema,
    async close() {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.end();
    },
  };
}
