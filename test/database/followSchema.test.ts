import { EventEmitter, once } from "node:events";
import { pino } from "pino";
import { type ChannelHandler, Listener } from "postgraphile-change-feed";
import { followSchema } from "../../src/database/followSchema.ts";
import { useAnalyst } from "../support/analyst.ts";
import { useDatabase } from "../support/database.ts";

const database = useDatabase();
const jane = useAnalyst(database);

/** Counts the notifications that reach the handler. */
class CountingListener extends Listener {
  heard = 0;

  override handle(channel: string, handler: ChannelHandler): void {
    super.handle(channel, {
      ...handler,
      notified: (payload, connection) => {
        this.heard += 1;
        handler.notified(payload, connection);
      },
    });
  }
}

test("after the first notification a thousand more are not heard, and cause one check together", async () => {
  const listener = new CountingListener({ connectionString: database.apiUrl, log: pino({ level: "silent" }) });
  const events = new EventEmitter();
  const released = once(events, "release");
  let checks = 0;
  const stop = followSchema(listener, async () => {
    checks += 1;
    events.emit("checking");
    await released;
  });
  const connection = await listener.start();
  try {
    const first = once(events, "checking");
    await database.query("notify schema_changed");
    await first;
    await jane.ask("select count(pg_notify('schema_changed', number::text)) from generate_series(1, 1000) as number");
    // Notifications arrive in the order of commits.
    await connection.withBarrier(({ channel, payload }) =>
      connection.ask({ text: "select pg_notify($1, $2)", values: [channel, payload] }),
    );
    expect({ heard: listener.heard, checks }).toEqual({ heard: 1, checks: 1 });

    const second = once(events, "checking");
    events.emit("release");
    await second;
    expect({ heard: listener.heard, checks }).toEqual({ heard: 1, checks: 2 });
    const third = once(events, "checking");
    await database.query("notify schema_changed");
    await third;
    expect({ heard: listener.heard, checks }).toEqual({ heard: 2, checks: 3 });
  } finally {
    await stop();
    await listener.close();
  }
});
