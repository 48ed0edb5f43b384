import { PgBouncer, pgBouncer, untracked } from "../../tools/support/PgBouncer.ts";

/** For tests that need PgBouncer. Skipped where neither the machine nor the environment variable PGBOUNCER has one. */
export function describeWithPgBouncer(name: string, define: () => void): void {
  (pgBouncer.isInstalled ? describe : describe.skip)(name, define);
}

/** PgBouncer's settings for transaction mode. The first need a PgBouncer from 1.21 on. */
const transactionModes = [
  { mode: "with prepared statements", settings: {}, isKnown: pgBouncer.tracksStatements },
  { mode: "without prepared statements", settings: untracked, isKnown: true },
];

/** A block of tests for each way in which transaction mode works. */
export function describeTransactionMode(define: (start: (apiUrl: string) => Promise<PgBouncer>) => void): void {
  for (const { mode, settings, isKnown } of transactionModes) {
    (pgBouncer.isInstalled && isKnown ? describe : describe.skip)(`PgBouncer in transaction mode, ${mode}`, () => {
      const started = new AsyncDisposableStack();
      afterAll(() => started.disposeAsync());
      // Few server connections serve many clients.
      define(async (apiUrl) => started.use(await PgBouncer.start([apiUrl], { default_pool_size: 3, ...settings })));
    });
  }
}
