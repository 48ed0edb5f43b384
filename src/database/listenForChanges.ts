import pg from "pg";
import type { Logger } from "pino";

/** What migrations/hooks/tell_services.sql notifies. */
const channel = "schema_changed";
const longestPauseMs = 5_000;

export interface Changes {
  /** From now on `onChange` is called after each change; at once, if there has been one already. */
  follow(onChange: () => void): void;
  stop(): Promise<void>;
}

/**
 * Hears of migrations, wherever they are run: `npm run db:watch`, another instance that starts, or `notify schema_changed`
 * in psql. On a connection of its own, for a pooled one forgets what it listened to. When that breaks it is made again,
 * and counts as a change, since nobody knows what was missed.
 */
export async function listenForChanges(connectionString: string, log: Logger): Promise<Changes> {
  let hasChanged = false;
  let onChange = () => {
    hasChanged = true;
  };
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function connect(): Promise<void> {
    const attempt = new pg.Client({
      connectionString,
      application_name: "content-service, listening for migrations",
      connectionTimeoutMillis: longestPauseMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: longestPauseMs,
    });
    // Its end tells of it.
    attempt.on("error", () => {});
    try {
      await attempt.connect();
      attempt.on("notification", () => onChange());
      await attempt.query(`listen ${channel}`);
    } catch (error) {
      await attempt.end().catch(() => {});
      throw error;
    }
    attempt.once("end", () => again(0));
    if (stopped) return attempt.end();
    client = attempt;
  }

  function again(pauseMs: number): void {
    if (stopped) return;
    timer = setTimeout(async () => {
      try {
        await connect();
        onChange();
      } catch (error) {
        log.warn({ err: error }, "migrations cannot be listened for at the moment");
        again(Math.min(longestPauseMs, pauseMs * 2 + 100));
      }
    }, pauseMs);
  }

  await connect();
  return {
    follow(callback) {
      onChange = callback;
      if (hasChanged) callback();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
