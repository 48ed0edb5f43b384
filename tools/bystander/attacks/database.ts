import pg from "pg";
import type { Attacker } from "../Attacker.ts";
import type { Attack } from "./Attack.ts";

/** Runs a statement again and again as an analyst until the attack is over. Counts successes and refusals. */
async function repeatAsAnalyst(attacker: Attacker, sql: () => string): Promise<void> {
  const client = new pg.Client({ connectionString: attacker.place.analystUrl });
  client.on("error", () => {});
  await client.connect();
  while (!attacker.signal.aborted) {
    const outcome = await client.query(sql()).then(
      () => "done",
      (error) => error.code ?? "no connection",
    );
    attacker.note(outcome);
    if (outcome !== "done") await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await client.end();
}

export const schemaNotices: Attack = {
  title: "an analyst who floods the channel schema_changed",
  run: (attacker) => Promise.all([1, 2].map(() => repeatAsAnalyst(attacker, () => "notify schema_changed"))),
};

/** In steps, because the server refuses all locks of a statement that asks for more than it has left. */
const locksEach = 1_000;
const maxLocks = 100_000;

export const advisoryLocks: Attack = {
  title: "an analyst who holds as many advisory locks as the server gives, 100,000 at most",
  run(attacker) {
    let next = 0;
    return repeatAsAnalyst(attacker, () => {
      const from = next % maxLocks;
      next += locksEach;
      return `select count(pg_advisory_lock(n)) from generate_series(${from}, ${from + locksEach - 1}) n`;
    });
  },
};

export const busyBackend: Attack = {
  title: "no attack on the service: one connection to the database that is always busy",
  run: (attacker) => repeatAsAnalyst(attacker, () => "select count(*) from generate_series(1, 300000)"),
};
