import "./environment.ts";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Logger, pino } from "pino";
import { type App, startApp } from "./app.ts";
import { startEmbeddedPostgres } from "./embedded/embedded.ts";
import { openServer } from "./http/openServer.ts";
import { developmentSecret } from "./identity/developmentSecret.ts";
import { checkDatabase } from "./migrations/checkDatabase.ts";
import { migrate, requireMigrated } from "./migrations/migrate.ts";
import { createRoles, ensureRoles } from "./migrations/roles.ts";
import { requireSession } from "./migrations/route.ts";
import { loadSampleContent, sampleSignIns } from "./migrations/sampleContent.ts";
import { waitForDatabase } from "./migrations/waitForDatabase.ts";
import { withClient } from "./migrations/withClient.ts";
import { Primary } from "./processes/Primary.ts";
import { isWorker, onStartingReason, preparedDatabaseUrl, sayReady } from "./processes/worker.ts";
import { readSettings, type Settings, type TokenSettings } from "./settings.ts";
import { StartError } from "./support/StartError.ts";
import { welcome } from "./welcome.ts";

/** Everything that a stop, or a failed start, has to release. */
const started = new AsyncDisposableStack();
/** Ends the waits of a start that is stopped. */
const starting = new AbortController();
/** How long a stop may last beyond the time for requests in flight. A frozen database would hold it up. */
const stopGraceMs = 3_000;
let stopTimeoutMs = stopGraceMs;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const log = pino({ level: settings.logLevel }, logDestination());
  stopTimeoutMs = settings.stopDelayMs + settings.drainTimeoutMs + stopGraceMs;
  const url = settings.processes > 1 && !isWorker ? await runWorkers(settings, log) : await serve(settings, log);
  // In production, standard output is the log.
  if (!settings.isProduction && !isWorker) console.log(welcome(url, settings));
}

/**
 * Standard output, written in pieces: a write for each request took a fourteenth of the processor time. Lines arrive a tenth of a
 * second late at most, and all of them before the process ends. If the reader stops, requests go on and lines beyond 10 MB are lost.
 */
function logDestination() {
  const destination = pino.destination({ minLength: 4_096, periodicFlush: 100, maxLength: 10_000_000, sync: false });
  // A pipe cannot be synchronized with a disk, so the callback gets an error when all is written.
  started.defer(() => new Promise((resolve) => destination.flush(() => resolve())));
  return destination;
}

/** Serves in this process. @returns the URL */
async function serve(settings: Settings, log: Logger): Promise<string> {
  // Opened first, a taken port is reported first, and probes are answered during the start.
  const server = settings.listenAtStart ? await openServer(settings) : undefined;
  if (server) {
    started.defer(() => server.close(settings.drainTimeoutMs));
    log.info({ url: server.url }, "listening; not ready yet");
  }
  const waiting = server ?? { startingReason: "" };
  onStartingReason((reason) => {
    waiting.startingReason = reason;
  });
  const databaseUrl = isWorker ? undefined : await ownerUrl(settings);
  const token = await tokenSettings(settings);
  const app = await waitForDatabase(log, waiting, starting.signal, async (): Promise<App> => {
    const apiDatabaseUrl = isWorker ? await preparedDatabaseUrl() : await prepareDatabase(databaseUrl, settings);
    const isEmbedded = settings.migrateOnStart && !settings.databaseUrl;
    return startApp({ ...settings, apiDatabaseUrl, token, ...(isEmbedded && { sampleSignIns }) }, log, server);
  });
  started.defer(() => app.close());
  log.info("ready");
  if (isWorker) sayReady(app.url);
  return app.url;
}

/** Makes the database ready, once for all, and serves in several processes. @returns the URL */
async function runWorkers(settings: Settings, log: Logger): Promise<string> {
  // Begun first, so that it ends after the workers.
  const owner = ownerUrl(settings);
  const primary = started.use(new Primary(settings.processes, log));
  const serving = primary.start();
  const preparing = owner.then(async (databaseUrl) => {
    const waiting = {
      set startingReason(startingReason: string) {
        primary.tell({ startingReason });
      },
    };
    const prepare = () => prepareDatabase(databaseUrl, settings);
    primary.tell({ apiDatabaseUrl: await waitForDatabase(log, waiting, starting.signal, prepare) });
  });
  const [url] = await Promise.all([serving, preparing]);
  return url;
}

/** The owner's connection string; undefined if this start does without the owner. */
async function ownerUrl(settings: Settings): Promise<string | undefined> {
  return settings.migrateOnStart ? (settings.databaseUrl ?? (await startEmbedded(settings))) : undefined;
}

async function startEmbedded({ dataDir }: Settings): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir: join(dataDir, "postgres") });
  // Registered before the server is up: Ctrl-C during the start must stop it, too.
  started.defer(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return (await starting).url;
}

/**
 * @param databaseUrl the owner's connection string; without it, nothing is migrated
 * @returns the connection string of the API's login
 */
async function prepareDatabase(databaseUrl: string | undefined, settings: Settings): Promise<string> {
  if (databaseUrl) {
    await checkConnection("DATABASE_URL", databaseUrl);
    await requireSession(databaseUrl);
  }
  if (settings.apiDatabaseUrl) await checkConnection("API_DATABASE_URL", settings.apiDatabaseUrl);
  if (databaseUrl) return migrateAsOwner(databaseUrl, settings);
  const apiDatabaseUrl = settings.apiDatabaseUrl as string;
  await requireMigrated(apiDatabaseUrl);
  return apiDatabaseUrl;
}

async function checkConnection(setting: string, url: string): Promise<void> {
  await withClient(url, checkDatabase).catch((error) => {
    throw error instanceof StartError ? new StartError(`${setting}: ${error.message}`) : error;
  });
}

async function migrateAsOwner(databaseUrl: string, settings: Settings): Promise<string> {
  if (settings.apiDatabaseUrl) await createRoles(databaseUrl);
  const apiDatabaseUrl = settings.apiDatabaseUrl ?? (await ensureRoles(databaseUrl));
  const migrating = migrate(databaseUrl, undefined, starting.signal);
  // A stop waits for a running migration: the migrator ends the whole process when its connection breaks.
  started.defer(async () => {
    await migrating.catch(() => {});
  });
  await migrating;
  if (!settings.databaseUrl) await loadSampleContent(databaseUrl);
  return apiDatabaseUrl;
}

async function tokenSettings({ token, dataDir }: Settings): Promise<TokenSettings> {
  return token.secret || token.jwksUrl ? token : { ...token, secret: await developmentSecret(dataDir) };
}

/** Set once: a second Ctrl-C does not interrupt a stop. */
let stopping: Promise<void> | undefined;

function stop(): Promise<void> {
  starting.abort();
  stopping ??= Promise.race([
    started.disposeAsync(),
    delay(stopTimeoutMs).then(() => console.error("The stop took too long. What is still open is cut.")),
  ]);
  return stopping;
}

async function fail(error: unknown): Promise<void> {
  console.error(error instanceof StartError ? error.message : error);
  await stop();
  process.exit(1);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => stop().then(() => process.exit(0), fail));
}
// An error of a start that is being stopped is not a failure.
main().catch((error) => stopping ?? fail(error));
