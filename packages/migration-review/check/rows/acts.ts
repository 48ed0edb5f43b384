import { readFileSync } from "node:fs";
import pg, { type ClientBase } from "pg";
import type { Act } from "../../Project.ts";

/** The error of each act that fails. */
export type Failures = Map<string, pg.DatabaseError>;

/** Tries each act, and undoes it. In the caller's transaction. */
export async function tryActs(client: ClientBase, acts: readonly Act[]): Promise<Failures> {
  const failures: Failures = new Map();
  await client.query("savepoint acts");
  for (const { name, sql, caller } of acts) {
    // One round trip for each, since there are hundreds. Deferred constraints are checked as by a commit.
    const text = [caller?.become, sql, "set constraints all immediate", "rollback to savepoint acts"];
    try {
      await client.query(text.filter(Boolean).join(";\n"));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      failures.set(name, error);
      await client.query("rollback to savepoint acts");
    }
  }
  await client.query("release savepoint acts");
  return failures;
}

/**
 * Deletions of rows of each kind: one of each table, and one that each foreign key refers to; and an update of each table that changes
 * nothing.
 */
export async function ownActs(client: ClientBase, schemas: string[]): Promise<Act[]> {
  const { rows } = await client.query<{ acts: Act[] }>(text, [schemas]);
  return rows[0]?.acts ?? [];
}

const text = readFileSync(new URL("acts.sql", import.meta.url), "utf8");

/** Acts that fail with the same message. */
export interface FailureCause {
  acts: string[];
  error: pg.DatabaseError;
}

/** The names in an act are no longer there: other findings are about that. */
const missing = /^(42883|42P01|42703|42704|3F000)$/;
/** SQLSTATEs of PostgreSQL. A program refuses with others. */
const ofPostgres = /^([0-4]|5[3-8]|72|F0|HV|P0|XX)/;

/**
 * @param hasFewerRows whether the change deletes or hides rows: that the program then refuses what is no longer there follows from that
 */
export function failureCauses(failures: readonly [string, pg.DatabaseError][], hasFewerRows: boolean): FailureCause[] {
  const found = failures.filter(([, { code = "", where }]) => {
    if (missing.test(code) && where === undefined) return false;
    return !hasFewerRows || (ofPostgres.test(code) && code !== "42501");
  });
  const causes = Map.groupBy(found, ([, { code, message }]) => `${code} ${message.replace(/\d+/g, "0")}`);
  return [...causes.values()].map((same) => ({
    acts: same.map(([name]) => name),
    error: (same[0] as [string, pg.DatabaseError])[1],
  }));
}
