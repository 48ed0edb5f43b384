import pg from "pg";

/** What node-postgres has but does not declare. */
interface Internals {
  connection: { stream: { write(...args: unknown[]): boolean; on(event: "data", act: () => void): void } };
  connectionParameters: { application_name?: string };
}

const watched = new WeakSet<object>();
/** Undefined while nobody counts. */
let counted: { turns: number } | undefined;

/**
 * Runs `act` and returns how many turns its statements took on the wire: a turn begins when the service writes and ends when
 * PostgreSQL answers. Statements that are sent together are one turn.
 */
export async function countTurns(act: () => Promise<unknown>): Promise<number> {
  const count = { turns: 0 };
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    watch(this as unknown as Internals);
    return (query as (...args: unknown[]) => unknown).apply(this, args);
  } as never;
  counted = count;
  try {
    await act();
  } finally {
    counted = undefined;
    pg.Client.prototype.query = query;
  }
  return count.turns;
}

/** The listening connection's heartbeat comes at any time. */
function watch(client: Internals): void {
  if (client.connectionParameters.application_name !== "content-service" || watched.has(client)) return;
  watched.add(client);
  const { stream } = client.connection;
  const write = stream.write.bind(stream);
  let isWaiting = false;
  stream.write = (...args) => {
    if (counted && !isWaiting) counted.turns++;
    isWaiting = true;
    return write(...args);
  };
  stream.on("data", () => {
    isWaiting = false;
  });
}
