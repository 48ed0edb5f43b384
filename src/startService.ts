import { join } from "node:path";
import { withParameter } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import type { Logger } from "pino";
import type { App, AppSettings } from "./app.ts";
import { checkDatabase } from "./database/checks.ts";
import { createRoles, ensureRoles } from "./database/ensureRoles.ts";
import { migrate, requireMigrated } from "./database/migrations.ts";
import { waitForDatabase } from "./database/waitForDatabase.ts";
import { startEmbeddedPostgres } from "./embedded/embedded.ts";
import { openServer } from "./http/openServer.ts";
import { developmentSecret } from "./identity/developmentSecret.ts";
import { loadSampleContent, sampleSignIns } from "./migrations/sampleContent.ts";
import type { Settings, TokenSettings } from "./settings.ts";

/** The surroundings of a start, beside the settings. */
export interface Starting {
  log: Logger;
  /** Gets everything that a stop, or a failed start, has to release. */
  started: AsyncDisposableStack;
  /** Ends the waits of a start that is stopped. */
  signal: AbortSignal;
}

/**
 * Starts the service: the port, the database with its roles and migrations, and the API.
 *
 * @returns the URL
 * @throws OperatorError with a sentence for the operator, when a setting or the database does not fit
 */
export async function startService(
  settings: Settings & Pick<AppSettings, "mailKey">,
  starting: Starting,
): Promise<string> {
  const { log, started, signal } = starting;
  // Opened first, a taken port is reported first, and probes are answered during the start.
  const server = settings.listenAtStart ? await openServer(settings) : undefined;
  if (server) {
    started.defer(() => server.close(settings.drainTimeoutMs));
    log.info({ url: server.url }, "listening; not ready yet");
  }
  const waiting = server ?? { startingReason: "" };
  // Half of a start is loading modules, which goes on while the database answers.
  const loading = import("./app.ts");
  const databaseUrl = await ownerUrl(settings, started);
  const token = await tokenSettings(settings);
  const app = await waitForDatabase(log, waiting, signal, async (): Promise<App> => {
    const apiDatabaseUrl = await prepareDatabase(databaseUrl, settings, starting);
    const isEmbedded = settings.migrateOnStart && !settings.databaseUrl;
    // PostgreSQL writes the content while this process builds the API, which does not depend on it.
    const loaded = isEmbedded && databaseUrl ? loadSampleContent(databaseUrl) : undefined;
    // startApp() throws its error; until then it must not count as an unhandled rejection.
    loaded?.catch(() => {});
    const { startApp } = await loading;
    return startApp({ ...settings, apiDatabaseUrl, token, ...(isEmbedded && { sampleSignIns }) }, log, {
      server,
      loaded,
    });
  });
  started.defer(() => app.close());
  log.info("ready");
  return app.url;
}

/** The owner's connection string; undefined if this start does without the owner. */
async function ownerUrl(settings: Settings, started: AsyncDisposableStack): Promise<string | undefined> {
  return settings.migrateOnStart ? (settings.databaseUrl ?? (await startEmbedded(settings, started))) : undefined;
}

async function startEmbedded({ dataDir }: Settings, started: AsyncDisposableStack): Promise<string> {
  const embeddedStarts = startEmbeddedPostgres(join(dataDir, "postgres"));
  // Registered before the server is up: Ctrl-C during the start must stop it, too.
  started.defer(() =>
    embeddedStarts.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return (await embeddedStarts).url;
}

/**
 * @param databaseUrl the owner's connection string; without it, nothing is migrated
 * @returns the connection string of the API's login
 */
async function prepareDatabase(
  databaseUrl: string | undefined,
  settings: Settings,
  starting: Starting,
): Promise<string> {
  if (databaseUrl) {
    await checkConnection("DATABASE_URL", databaseUrl);
    await requireSession(databaseUrl);
  }
  if (settings.apiDatabaseUrl) await checkConnection("API_DATABASE_URL", settings.apiDatabaseUrl);
  if (databaseUrl) return migrateAsOwner(databaseUrl, settings, starting);
  const apiDatabaseUrl = settings.apiDatabaseUrl as string;
  await requireMigrated(apiDatabaseUrl);
  return apiDatabaseUrl;
}

async function checkConnection(setting: string, url: string): Promise<void> {
  await withClient(url, checkDatabase).catch((error) => {
    throw error instanceof OperatorError ? new OperatorError(`${setting}: ${error.message}`) : error;
  });
}

async function migrateAsOwner(
  databaseUrl: string,
  settings: Settings,
  { log, started, signal }: Starting,
): Promise<string> {
  if (settings.apiDatabaseUrl) await withClient(databaseUrl, createRoles);
  const apiDatabaseUrl = settings.apiDatabaseUrl ?? (await ensureRoles(databaseUrl));
  // Where a crash of the machine loses the last migrations of an embedded database, the next start runs them again.
  const migratingUrl = settings.databaseUrl
    ? databaseUrl
    : withParameter(databaseUrl, "options", "-c synchronous_commit=off");
  const migrating = migrate(migratingUrl, undefined, signal, (line) => log.info(line));
  // A stop waits for a running migration: the migrator ends the whole process when its connection breaks.
  started.defer(async () => {
    await migrating.catch(() => {});
  });
  await migrating;
  return apiDatabaseUrl;
}

async function tokenSettings({ token, dataDir, isProduction }: Settings): Promise<TokenSettings> {
  return token.secret || token.jwksUrl || isProduction ? token : { ...token, secret: await developmentSecret(dataDir) };
}
