import { setTimeout as delay } from "node:timers/promises";
import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import type { Logger } from "pino";
import { fillPool } from "./database/fillPool.ts";
import { followSchema } from "./database/followSchema.ts";
import { Listener } from "./database/Listener.ts";
import { createPool, type PoolSettings } from "./database/pool.ts";
import { Engine } from "./graphql/Engine.ts";
import { HeavyLane } from "./graphql/heavy/HeavyLane.ts";
import { defaultLimits, type Limits } from "./graphql/request/limits.ts";
import { makeResolvePersisted, type PersistedSettings } from "./graphql/request/persistedOperations.ts";
import { buildSchema } from "./graphql/schema/buildSchema.ts";
import { createHttpApp, type HttpSettings } from "./http/createHttpApp.ts";
import type { ServerSettings } from "./http/httpServer.ts";
import { type OpenServer, openServer } from "./http/openServer.ts";
import { createTokenSigner } from "./identity/signToken.ts";
import type { TokenSettings } from "./identity/tokenSettings.ts";
import { createTokenVerifier } from "./identity/verifyToken.ts";
import { MessageStream } from "./messages/MessageStream.ts";
import { Metrics } from "./observe/Metrics.ts";
import { Readiness } from "./observe/Readiness.ts";
import { SocketObserver } from "./observe/SocketObserver.ts";
import { startTracing } from "./observe/tracing.ts";
import { type RateLimitSettings, RateLimits, rateLimitSeconds } from "./rateLimits/RateLimits.ts";
import { RequestCounts } from "./rateLimits/RequestCounts.ts";
import { oneAtATime } from "./support/oneAtATime.ts";
import { SocketServer, type SocketServerSettings } from "./websocket/SocketServer.ts";

/** What the running service needs to know; src/settings.ts reads it from the environment. */
export interface AppSettings
  extends HttpSettings,
    ServerSettings,
    SocketServerSettings,
    PoolSettings,
    RateLimitSettings,
    PersistedSettings {
  token: TokenSettings;
  introspection: boolean;
  /** How long to go on taking requests once it is known that the service stops, so that proxies can hear of it. */
  stopDelayMs: number;
  /** How long requests in flight have to finish after that. */
  drainTimeoutMs: number;
  /** Bounds for what one request may ask, where they are other than the default ones. */
  queryLimits?: Partial<Limits>;
}

export interface App {
  /** Where the service is, without a slash at the end: `http://127.0.0.1:4000`. */
  url: string;
  engine: Engine;
  /** How many subscriptions are open. */
  readonly subscriptions: number;
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

/** Connections for what no request waits for: whether the database answers, how often somebody has asked. */
const ownConnections = 2;

/** How long connections have to say good-bye to the database. */
const farewellMs = 500;

/**
 * Builds the schema from the database as it is, and serves it.
 *
 * @param server that listens already, and tells everybody to try again; without one, one is opened when all is ready
 */
export async function startApp(settings: AppSettings, log: Logger, server?: OpenServer): Promise<App> {
  const pool = createPool(settings, log);
  const ownPool = createPool({ ...settings, poolSize: ownConnections }, log);
  const verifyToken = await createTokenVerifier(settings.token);
  const queryLimits = { ...defaultLimits, ...settings.queryLimits };
  const listener = new Listener({ connectionString: settings.apiDatabaseUrl, log });
  const messages = new MessageStream(listener, { log });
  const canRebuild = Promise.withResolvers<void>();
  let rebuilding: Promise<unknown> | undefined;
  followSchema(listener, async () => {
    await canRebuild.promise;
    rebuilding = rebuild();
  });
  // Listen before the schema is read, so that no change in between is missed.
  await messages.start(await listener.start());
  const served = await buildSchema(pool, settings.introspection, queryLimits);
  const tracing = await startTracing(process.env);
  const resolvePersisted = makeResolvePersisted(settings);
  const requestCounts = new RequestCounts(ownPool, log, rateLimitSeconds);
  const rateLimits = new RateLimits(requestCounts, settings);
  const heavyLane = new HeavyLane({ ...settings, limits: queryLimits }, log);
  const engine = new Engine({
    served,
    heavyLane,
    signToken: createTokenSigner(settings.token),
    messages,
    tracing,
    admit: (document, operation, { address = "" }) => rateLimits.countGuarded(document, operation, address),
    log,
  });
  const rebuild = oneAtATime(async () => {
    try {
      engine.serve(await buildSchema(pool, settings.introspection, queryLimits));
      log.info("the schema is the database's again");
      return true;
    } catch (error) {
      log.error({ err: error }, "the changed database makes no schema; the one before stays");
      return false;
    }
  });
  canRebuild.resolve();
  const metrics = new Metrics();
  registerPool(metrics, pool);
  const readiness = new Readiness(ownPool);
  await fillPool(pool, log);

  const open = server ?? (await openServer(settings));
  const observer = new SocketObserver(log, metrics);
  const sockets = new SocketServer({ engine, verifyToken, rateLimits, resolvePersisted, tracing, observer }, settings);
  registerSockets(metrics, sockets, messages);
  sockets.attach(open.server);
  open.serve(
    createHttpApp({ engine, verifyToken, rateLimits, resolvePersisted, tracing, readiness, metrics, log }, settings),
  );
  return {
    url: open.url,
    engine,
    get schema() {
      return engine.served.schema;
    },
    rebuild,
    get subscriptions() {
      return sockets.subscriptions;
    },
    async close() {
      readiness.isStopping = true;
      await delay(settings.stopDelayMs);
      sockets.stop();
      await open.close(settings.drainTimeoutMs);
      messages.stop();
      await listener.close();
      await rebuilding;
      await tracing.stop();
      // A statement whose request was cut off ends when PostgreSQL says so; nobody waits for it.
      const farewell = Promise.all([pool.end(), heavyLane.stop(), requestCounts.settle().then(() => ownPool.end())]);
      await Promise.race([farewell, delay(farewellMs, undefined, { ref: false })]);
    },
  };
}

function registerSockets(metrics: Metrics, sockets: SocketServer, messages: MessageStream): void {
  metrics.registerGauge("websocket_connections", "WebSockets that are open.", () => sockets.open);
  metrics.registerGauge("graphql_subscriptions", "Subscriptions that are open.", () => sockets.subscriptions);
  metrics.registerCounter(
    "messages_delivered_total",
    "Messages told to subscribers.",
    () => messages.status.deliveries,
  );
  metrics.registerGauge("messages_listening", "1 while the database is listened to.", () =>
    messages.status.state === "listening" ? 1 : 0,
  );
  metrics.registerCounter(
    "messages_connection_losses_total",
    "How often the connection that listens was lost.",
    () => messages.status.losses,
  );
  metrics.registerGauge(
    "messages_lag_seconds",
    "From the last wake-up to the hand-out.",
    () => messages.status.lagMs / 1_000,
  );
}

function registerPool(metrics: Metrics, pool: pg.Pool): void {
  metrics.registerGauge("database_connections", "Connections for requests, by what they are doing.", () => ({
    idle: pool.idleCount,
    busy: pool.totalCount - pool.idleCount,
  }));
  metrics.registerGauge(
    "database_connections_awaited",
    "Requests that wait for a connection.",
    () => pool.waitingCount,
  );
}
