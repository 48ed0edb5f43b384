import "./environment.js";
import { randomBytes } from "node:crypto";
import { flushCompileCache } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { pino } from "pino";
import { returnIdleMemory } from "./memory/idleMemory.ts";
import { openLog } from "./observe/openLog.ts";
import { readSettings } from "./settings.ts";
import { startService } from "./startService.ts";
import { welcome } from "./welcome.ts";

/** Everything that a stop, or a failed start, has to release. */
const started = new AsyncDisposableStack();
/** Ends the waits of a start that is stopped. */
const starting = new AbortController();
/** How long a stop may last beyond the time for requests in flight. A frozen database would hold it up. */
const stopGraceMs = 3_000;
let stopTimeoutMs = stopGraceMs;

async function main(): Promise<void> {
  const settings = { ...readSettings(process.env), mailKey: randomBytes(16).toString("hex") };
  const log = openLog(settings.logLevel, logDestination());
  stopTimeoutMs = settings.stopDelayMs + settings.drainTimeoutMs + stopGraceMs;
  const url = await startService(settings, { log, started, signal: starting.signal });
  started.use(returnIdleMemory());
  // In production, standard output is the log.
  if (!settings.isProduction) console.log(welcome(url, settings));
  // Node writes compiled code to its cache when a process ends. An instance beside this one, or after a kill of it, needs the code before.
  flushCompileCache();
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
  console.error(error instanceof OperatorError ? error.message : error);
  await stop();
  process.exit(1);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => stop().then(() => process.exit(0), fail));
}
// An error of a start that is being stopped is not a failure.
main().catch((error) => stopping ?? fail(error));
