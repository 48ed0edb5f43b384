import "./environment.ts";
import { join } from "node:path";
import { pino } from "pino";
import { startApp } from "./app.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded/embedded.ts";
import { type OpenServer, openServer } from "./http/openServer.ts";
import { developmentSecret } from "./identity/developmentSecret.ts";
import { migrate } from "./migrations/migrate.ts";
import { ensureRoles } from "./migrations/roles.ts";
import { loadSampleContent } from "./migrations/sampleContent.ts";
import { waitForDatabase } from "./migrations/waitForDatabase.ts";
import { readSettings, type Settings } from "./settings.ts";
import { StartError } from "./support/StartError.ts";
import { welcome } from "./welcome.ts";

/** Everything that has been started, the last first, so that a stop or a failed start undoes it all. */
const started: (() => Promise<unknown>)[] = [];

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const log = pino({ level: settings.logLevel });
  const server = await listen(settings);
  log.info({ url: server.url }, "listening; not ready yet");
  const databaseUrl = settings.databaseUrl ?? (await startEmbedded(settings)).url;
  await waitForDatabase(databaseUrl, log);
  const apiDatabaseUrl = settings.apiDatabaseUrl ?? (await ensureRoles(databaseUrl));
  const migrating = migrate(databaseUrl);
  // A migration under way is waited for: the migrator ends this whole process when its connection breaks.
  started.unshift(() => migrating.catch(() => {}));
  await migrating;
  if (!settings.databaseUrl) await loadSampleContent(databaseUrl);
  const token = await tokenSettings(settings);
  const app = await startApp({ ...settings, apiDatabaseUrl, token }, log, server);
  started.unshift(() => app.close());
  log.info("ready");
  // In production all that is printed is the log.
  if (!settings.isProduction) console.log(welcome(app.url, settings));
}

async function listen(settings: Settings): Promise<OpenServer> {
  try {
    const server = await openServer(settings);
    started.unshift(() => server.close(settings.drainTimeoutMs));
    return server;
  } catch (error) {
    const { port } = settings;
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new StartError(`Port ${port} is taken by another program. Choose another one: PORT=${port + 1} npm start`);
  }
}

async function startEmbedded({ dataDir }: Settings): Promise<EmbeddedPostgres> {
  const starting = startEmbeddedPostgres({ dataDir: join(dataDir, "postgres") });
  // Noted before it is there: Ctrl-C may come first, and would leave the server behind.
  started.unshift(() =>
    starting.then(
      (embedded) => embedded.stop(),
      () => {},
    ),
  );
  return starting;
}

async function tokenSettings({ token, dataDir }: Settings): Promise<Settings["token"]> {
  return token.secret || token.jwksUrl ? token : { ...token, secret: await developmentSecret(dataDir) };
}

/** Once: a second Ctrl-C does not hurry what keeps data whole. */
let stopping: Promise<void> | undefined;

function stop(): Promise<void> {
  stopping ??= (async () => {
    for (const undo of started) await undo();
  })();
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
// What breaks off because it is being stopped is no failure.
main().catch((error) => stopping ?? fail(error));
