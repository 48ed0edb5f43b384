import { setTimeout as delay } from "node:timers/promises";
import { isApiError } from "./ApiError.ts";
import { sqlStateOf } from "./sqlStates.ts";

/** A rule that runs something again after an error. */
interface Rerun {
  /** Whether it is for this error. */
  isFor(error: unknown): boolean;
  /** The work that runs again, and where. */
  scope: string;
  /** The pause before each further run, in milliseconds. Without them, `scope` bounds the runs. */
  pausesMs?: readonly number[];
  /** Whether it may run a mutation again. */
  mutation: string;
}

const state = (states: RegExp) => (error: unknown) => states.test(sqlStateOf(error));

/** All rules that run something again, from the narrowest scope to the widest. None repeats what may have been committed. */
export const reruns = {
  /**
   * 40P01: PostgreSQL has ended a deadlock at this transaction's expense. 42804: a row has other columns than the plan was made for,
   * as a function finds that has waited for a migration's lock. Without a pause, the victim of a deadlock may take its first lock
   * again before the other transaction awakes.
   */
  rolledBack: {
    isFor: state(/^(40P01|42804)$/),
    scope: "the transaction",
    pausesMs: [50, 250],
    mutation: "yes: PostgreSQL has rolled it back",
  },
  /** The server only reads: another one is the primary by now. */
  noPrimary: {
    isFor: state(/^25006$/),
    scope: "the transaction, on a new connection",
    pausesMs: [0],
    mutation: "yes: PostgreSQL has done nothing",
  },
  /** A standby refuses a query or fails. A query that takes too long or reads too much would do so on any server. */
  standby: {
    isFor: (error) => !state(/^57014$/)(error) && !(isApiError(error) && error.extensions["limit"] !== undefined),
    scope: "the query, once, on the primary",
    mutation: "no: none runs on a standby",
  },
  /**
   * A compiled statement fails, and the engine may tell more. It cannot if the statement was stopped or waited for a lock too long, the
   * connection was lost, or the caller is deleted or banned.
   */
  compiled: {
    isFor: state(/^(?!(57014|55P03|57P0.|08...|28...|3D000|53...|TOKEN)$)/),
    scope: "the operation, once, in the engine",
    mutation: "if it was rolled back because its result could not be read",
  },
  /** The database refuses the user before anything runs: deleted or banned. `error` is as a client receives it. */
  unknownUser: {
    isFor: (error) => (error as { extensions?: Record<string, unknown> }).extensions?.["reason"] === "TOKEN_INVALID",
    scope: "the operation, once, as anonymous, if it needs no token",
    mutation: "yes: nothing ran",
  },
  /** A schema, table, column, function, operator, type or value of an enum is not there, or a value has another type. */
  outdatedSchema: {
    isFor: state(/^(3F000|42P01|42703|42883|42704|42804|42846|22P02)$/),
    scope: "the request, with the next schema, while there is one",
    mutation: "if each root field has failed by it",
  },
} satisfies Record<string, Rerun>;

/**
 * Runs something, and again after the pauses of the rule. The other rules are applied by those whose work is run again.
 *
 * @param prepare called before each further run; returns false if it must not be
 */
export async function withReruns<Result>(
  { isFor, pausesMs }: Rerun & Required<Pick<Rerun, "pausesMs">>,
  run: () => Promise<Result>,
  prepare: () => unknown,
): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await run();
    } catch (error) {
      if (!isFor(error) || (await prepare()) === false) throw error;
      if (pauseMs > 0) await delay(pauseMs);
    }
  }
  return run();
}
