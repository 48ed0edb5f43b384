import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { makeFormatError } from "@content-service/errors/formatError.ts";
import { replicaUrl } from "@content-service/support/connectionString.ts";
import { oneAtATime } from "@content-service/support/oneAtATime.ts";
import { findRoute } from "@content-service/support/route.ts";
import { isTemporary } from "@content-service/support/withClient.ts";
import type { GraphQLSchema } from "graphql";
import type pg from "pg";
import { fillPool, Replica, Replicas, settingDefaults } from "pg-caller-pool";
import type { Logger } from "pino";
import { FeedReader, Listener, WebhookSender } from "postgraphile-change-feed";
import { type ServedNames, servedNamesOf, unmappedObjectsOf } from "postgraphile-compiled-preset";
import { checkLogin, explainRefusal } from "./database/checks.ts";
import { findListenRoute } from "./database/findListenRoute.ts";
import { followSchema } from "./database/followSchema.ts";
import { readSchemaVersion } from "./database/readSchemaVersion.ts";
import { poolSettings, type RequestPoolSettings } from "./database/requestAccess.ts";
import { openRooms } from "./database/rooms.ts";
import { noneLeft } from "./graphql/executeOperation.ts";
import { OwnWrites } from "./graphql/OwnWrites.ts";
import { RequestPipeline } from "./graphql/RequestPipeline.ts";
import { makeResolvePersisted, readOperations, reportUnfit } from "./graphql/request/persistedOperations.ts";
import { buildSchema, type SchemaOptions } from "./graphql/schema/buildSchema.ts";
import { makeClientAddress, trustedNetworks } from "./http/arrival.ts";
import { createHttpApp, type HttpSettings } from "./http/createHttpApp.ts";
import { mailPage } from "./http/mailPage.ts";
import { type OpenServer, openServer } from "./http/openServer.ts";
import { SseConnections } from "./http/SseConnections.ts";
import { IdentityProviders } from "./identity/IdentityProviders.ts";
import { OpenCredentials } from "./identity/OpenCredentials.ts";
import { createTokenSigner } from "./identity/signToken.ts";
import { createTokenVerifier } from "./identity/verifyToken.ts";
import type { Mailer } from "./mail/Mailer.ts";
import { readMailTexts } from "./mail/mailTexts.ts";
import { maintain } from "./maintenance/maintain.ts";
import { publishDuePosts } from "./maintenance/publishDuePosts.ts";
import { repeatUntilStopped } from "./maintenance/repeatUntilStopped.ts";
import { ByteLedger } from "./memory/ByteLedger.ts";
import { registerGauges } from "./observe/gauges.ts";
import { Metrics } from "./observe/Metrics.ts";
import { Readiness } from "./observe/Readiness.ts";
import { SelfCheck } from "./observe/SelfCheck.ts";
import { SocketObserver } from "./observe/SocketObserver.ts";
import { startTracing } from "./observe/tracing.ts";
import { RateLimits } from "./rateLimits/RateLimits.ts";
import { ReadCounts } from "./reads/ReadCounts.ts";
import { mailsPath, type Settings, showsMails, type TokenSettings } from "./settings.ts";
import { SocketServer } from "./websocket/SocketServer.ts";

/** The settings of a running service: those of the environment, and the API's login. */
export interface AppSettings extends Omit<Settings, "apiDatabaseUrl" | "token"> {
  apiDatabaseUrl: string;
  token: TokenSettings;
  sampleSignIns?: HttpSettings["sampleSignIns"];
  /** Where many services of one process have equal databases, as in tests: they share the schema. */
  reuseSchema?: SchemaOptions["reuse"];
  /** Whether it looks for problems of the database, at its start and hourly. By default, it does. */
  selfCheck?: boolean;
  /** The key of the page of mails; by default, one that nobody knows. */
  mailKey?: string;
}

export interface App {
  /** The service's URL, without a trailing slash: `http://127.0.0.1:4000`. */
  url: string;
  /** The page of mails, with its key. */
  mailsUrl: string;
  pipeline: RequestPipeline;
  /** The number of open subscriptions. */
  readonly subscriptions: number;
  /** The schema that is served. */
  readonly schema: GraphQLSchema;
  /**
   * Rebuilds the schema from the database and serves it. The service does so after each migration. If the schema cannot be
   * built, the error is logged and the previous schema stays.
   *
   * @returns whether the new schema is served
   */
  rebuild(): Promise<boolean>;
  /** Drains requests in flight, then releases everything. */
  close(): Promise<void>;
}

const hourMs = 3_600_000;

/**
 * How long keep-alive connections are left alone before and after the port closes, as far as STOP_DELAY_MS allows it: a proxy that
 * looks at no /readyz notices only then that the instance stops.
 */
const longestSettleMs = 500;

/**
 * Builds the schema from the database and serves it. A start that fails releases what it has opened.
 *
 * @param options.server a server that listens already and answers 503; by default, one is opened when everything is ready
 * @param options.loaded settled when the content is there that requests may expect; the start waits for it, and fails with it
 */
export async function startApp(
  settings: AppSettings,
  log: Logger,
  { server, loaded }: { server?: OpenServer | undefined; loaded?: Promise<void> | undefined } = {},
): Promise<App> {
  await using started = new AsyncDisposableStack();
  const route = await findRoute(settings.apiDatabaseUrl).catch(explainRefusal);
  const defaults = await settingDefaults(settings.apiDatabaseUrl);
  const connecting = { ...settings, defaults };
  const rooms = openRooms(started, connecting, log, route);
  const { requests: pool, probes, checks, upkeep } = rooms;
  await checkLogin(checks);
  const replicas = useReplicas(started, connecting, probes, log);
  const ownWrites = replicas && new OwnWrites(settings.replicaMaxLagMs);
  const providers = await IdentityProviders.open(settings.token.issuers ?? [], checks, log);
  const verifyToken = await createTokenVerifier(settings.token, providers);
  const operations = readOperations(settings.persistedDir);
  let triedToBuild: string | undefined;
  const build = async (follows?: ServedNames) => {
    // Read before the catalogue, so that a change in between is built again rather than missed.
    const version = await readSchemaVersion(checks);
    triedToBuild = version;
    try {
      const made = await buildSchema(pool, settings, {
        version,
        ignoresWrongTags: true,
        replicas,
        reuse: settings.reuseSchema,
        follows,
      });
      const leftOut = unmappedObjectsOf(made.schema).map(
        ({ message, reason, advice }) => `${message} ${reason} ${advice}`,
      );
      if (leftOut.length > 0) log.warn({ leftOut }, "GraphQL cannot have everything that the database has");
      await reportUnfit(operations, made.documents, log);
      return made;
    } catch (error) {
      if (isTemporary(error)) triedToBuild = undefined;
      throw error;
    }
  };
  started.defer(await startTracing(process.env));
  const listener = new Listener({ ...(await findListenRoute(settings, route)), settings: defaults, log });
  started.defer(() => listener.close());
  const credentials = new OpenCredentials(checks, log);
  started.defer(() => credentials.stop());
  const streams = new FeedReader(listener, { log, rightsChanged: (userId) => credentials.rightsChanged(userId) });
  started.defer(() => streams.stop());
  const webhooks = settings.webhooks
    ? new WebhookSender(rooms.webhooks, { log, privateAddresses: settings.webhookAddresses }).hearBy(listener)
    : undefined;
  const mailer = await makeMailer(settings, rooms.mails, log);
  if (mailer) listener.handle("mail_outbox", { notified: () => mailer.wake(), restored: () => mailer.wake() });
  const served = Promise.withResolvers<boolean>();
  started.defer(
    followSchema(listener, async () => {
      if (await served.promise) await rebuildAfterChange();
    }),
  );
  started.defer(() => served.resolve(false));
  // Listen before reading the catalogue, so that no change in between is missed.
  await streams.start(await listener.start());
  const formatError = makeFormatError(log);
  const reads = settings.countReads ? started.use(new ReadCounts(upkeep, log)) : undefined;
  const engineFallbacks = noneLeft();
  // While PostgreSQL is asked for its catalogue.
  const filled = fillPool(pool, log);
  const ledger = new ByteLedger(settings.clientBytes);
  const pipeline = new RequestPipeline({
    served: await build(),
    rateLimits: new RateLimits(settings, checks, log),
    resolvePersisted: makeResolvePersisted(operations, settings),
    signToken: createTokenSigner(settings.token),
    streams,
    ledger,
    reads,
    ownWrites,
    formatError,
    engineFallbacks,
    async catchUp(outdated) {
      if (pipeline.served === outdated) await rebuildAfterChange();
      return pipeline.served !== outdated;
    },
  });
  let isCurrent = true;
  const rebuild = oneAtATime(async () => {
    try {
      pipeline.serve(await build(servedNamesOf(pipeline.served.schema)));
      isCurrent = true;
      log.info("the schema has been rebuilt from the database");
      return true;
    } catch (error) {
      isCurrent = false;
      log.error({ err: error }, "the schema cannot be built from the database; the previous one stays");
      return false;
    }
  });
  // Clients can cause this as often as they like: a database that makes no schema is tried once. Notifications and requests share it, so
  // that a change that both have noticed is followed once.
  const rebuildAfterChange = oneAtATime(async () => {
    const version = await readSchemaVersion(checks).catch(() => triedToBuild);
    if (version !== triedToBuild) await rebuild();
  });
  served.resolve(true);
  await filled;
  await loaded;
  const { maintenanceMinutes, auditRetentionDays } = settings;
  const maintenance = async (signal: AbortSignal) => {
    await maintain(upkeep, log, auditRetentionDays, signal);
    return maintenanceMinutes * 60_000;
  };
  if (maintenanceMinutes > 0) started.use(repeatUntilStopped(maintenance));
  if (maintenanceMinutes > 0) started.use(repeatUntilStopped((signal) => publishDuePosts(upkeep, log, signal)));

  if (webhooks) {
    webhooks.start();
    started.defer(() => webhooks.stop());
  }
  if (mailer) {
    mailer.start();
    started.defer(() => mailer.stop());
  }

  const selfCheck = new SelfCheck(upkeep, log);
  const checkHourly = async (signal: AbortSignal) => {
    await selfCheck.run(signal);
    return hourMs;
  };
  if (settings.selfCheck ?? true) started.use(repeatUntilStopped(checkHourly));

  const settleMs = Math.min(longestSettleMs, settings.stopDelayMs / 2);
  const open = server ?? (await openServer(settings));
  started.defer(() => open.close(settings.drainTimeoutMs, settleMs));
  const metrics = new Metrics();
  const observer = new SocketObserver(log, metrics);
  const networks = trustedNetworks(settings.trustProxy);
  if (networks.length > 0) {
    log.warn(
      { networks },
      "TRUST_PROXY: clients with an address in a trusted network choose the address that they are counted by",
    );
  }
  const clientAddress = makeClientAddress(settings.trustProxy, () => metrics.countDisbelief());
  const shared = { pipeline, verifyToken, credentials, observer, formatError, ledger, clientAddress };
  const sockets = new SocketServer(shared, settings);
  const eventStreams = new SseConnections(shared, settings);
  registerGauges(metrics, {
    ...shared,
    pool,
    replicas,
    streams,
    sockets,
    eventStreams,
    engineFallbacks,
    selfCheck,
    mailer,
    webhooks,
    isCurrent: () => isCurrent,
  });
  sockets.attach(open.server);
  started.defer(() => sockets.stop());
  started.defer(() => eventStreams.stop());
  const readiness = new Readiness(probes, pool, replicas);
  // Runs before WebSockets and event streams end: their clients reconnect at once, and not here.
  started.defer(async () => {
    readiness.isStopping = true;
    readiness.asksToReconnect = true;
    await delay(settings.stopDelayMs - settleMs);
    // Proxies that still send requests here get connections that stay, so that none is being opened while the port closes.
    readiness.asksToReconnect = false;
    await delay(settleMs);
    await open.closePort();
    readiness.asksToReconnect = true;
  });
  // A mail of development is read on this machine only, by whoever has started the service.
  const mailKey = settings.mailKey ?? randomBytes(16).toString("hex");
  const mails = showsMails(settings) ? mailPage(upkeep, settings.mail, mailKey) : undefined;
  open.serve(createHttpApp({ ...shared, eventStreams, readiness, metrics, log, ownWrites, mails }, settings));
  const running = started.move();
  return {
    url: open.url,
    mailsUrl: open.url + mailsPath(mailKey),
    pipeline,
    get schema() {
      return pipeline.served.schema;
    },
    rebuild,
    get subscriptions() {
      return sockets.subscriptions + eventStreams.subscriptions;
    },
    close: () => running.disposeAsync(),
  };
}

/** Loads the client of SMTP only where it is needed. @returns undefined where the service sends no mails */
async function makeMailer({ mail }: AppSettings, pool: pg.Pool, log: Logger): Promise<Mailer | undefined> {
  const { smtpUrl, from, appUrl, directory } = mail;
  if (!smtpUrl || !from || !appUrl) return undefined;
  const [{ Mailer }, { openSmtp }] = await Promise.all([import("./mail/Mailer.ts"), import("./mail/smtp.ts")]);
  const render = readMailTexts(directory);
  return new Mailer(pool, log, (one) => render(one, appUrl), openSmtp(smtpUrl, from));
}

/** Standbys answer queries as soon as they are found to be well. */
function useReplicas(
  started: AsyncDisposableStack,
  settings: AppSettings & RequestPoolSettings,
  primary: pg.Pool,
  log: Logger,
): Replicas | undefined {
  if (settings.replicaUrls.length === 0) return undefined;
  const all = settings.replicaUrls.map(
    (given) =>
      new Replica(poolSettings({ ...settings, apiDatabaseUrl: replicaUrl(given, settings.apiDatabaseUrl) }), log),
  );
  return started.use(new Replicas(all, primary, settings.replicaMaxLagMs, log)).start();
}
