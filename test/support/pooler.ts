import { PgBouncer, pgBouncer, untracked } from "../../tools/support/PgBouncer.ts";
import type { TestDatabase } from "./database.ts";
import { lackOf, machinePrograms } from "./machine.ts";

const isUsable = lackOf(machinePrograms.pgbouncer) === undefined;

/** For tests that need PgBouncer: that of the machine, or of the environment variable PGBOUNCER. */
export function describeWithPgBouncer(name: string, define: () => void): void {
  (isUsable ? describe : describe.skip)(name, define);
}

/** Starts PgBouncer for the logins of this database. It ends after the services that use it. */
export async function startPooler({ apiUrl, ownerUrl, ends }: TestDatabase, settings = {}): Promise<PgBouncer> {
  return ends.use(await PgBouncer.start([apiUrl, ownerUrl], settings));
}

/** PgBouncer's settings for transaction mode. The first need a PgBouncer from 1.21 on. */
const transactionModes = [
  { mode: "with prepared statements", settings: {}, isKnown: pgBouncer.tracksStatements },
  { mode: "without prepared statements", settings: untracked, isKnown: true },
];

/** A block of tests for each way in which transaction mode works. */
export function describeTransactionMode(define: (start: typeof startPooler) => void): void {
  for (const { mode, settings, isKnown } of transactionModes) {
    (isUsable && isKnown ? describe : describe.skip)(`PgBouncer in transaction mode, ${mode}`, () => {
      // Few server connections serve many clients.
      define((database) => startPooler(database, { default_pool_size: 3, ...settings }));
    });
  }
}
