import { type OperationDefinitionNode, OperationTypeNode } from "graphql";
import type { Logger } from "pino";
import type { WithPgClient } from "postgraphile/@dataplan/pg";
import type { Settings } from "../settings.ts";

/** An operation that has run. */
interface Ran {
  operation: OperationDefinitionNode;
  ms: number;
  /** The texts of its statements. */
  statements: string[];
  /** Connects as the same caller. */
  withPgClient: WithPgClient;
}

/** A slow database must not get more work by this. Operations that are slow meanwhile are counted only. */
const pauseMs = 10_000;
const plansPerOperation = 5;
const statementName = "slow_operation";

/** Logs operations that took longer than `SLOW_OPERATION_MS`, with the plans of their statements. */
export class SlowOperations {
  readonly #thresholdMs: number;
  readonly #log: Pick<Logger, "warn">;
  readonly #now: () => number;
  #nextAt = 0;
  #notLogged = 0;

  /** @param now the time in milliseconds */
  constructor(
    { slowOperationMs }: Pick<Settings, "slowOperationMs">,
    log: Pick<Logger, "warn">,
    now = () => performance.now(),
  ) {
    this.#thresholdMs = slowOperationMs;
    this.#log = log;
    this.#now = now;
  }

  /** @returns the list that an operation's statements are to be written to; undefined when nothing is logged */
  watch(): string[] | undefined {
    return this.#thresholdMs > 0 ? [] : undefined;
  }

  /** Logs the operation if it was slow. Never throws. */
  async note({ operation, ms, statements, withPgClient }: Ran): Promise<void> {
    if (this.#thresholdMs === 0 || ms < this.#thresholdMs) return;
    if (this.#now() < this.#nextAt) {
      this.#notLogged += 1;
      return;
    }
    const notLogged = this.#notLogged;
    this.#notLogged = 0;
    this.#nextAt = Number.POSITIVE_INFINITY;
    // A mutation's statements are not explained: what they call is not visible in a plan.
    const isQuery = operation.operation === OperationTypeNode.QUERY;
    const plans = isQuery ? await explainAll(statements.slice(0, plansPerOperation), withPgClient) : [];
    this.#nextAt = this.#now() + pauseMs;
    this.#log.warn(
      {
        operation: operation.name?.value ?? "anonymous",
        type: operation.operation,
        ms: Math.round(ms),
        statements: statements.length,
        plans,
        ...(notLogged > 0 ? { notLogged } : null),
      },
      "slow operation",
    );
  }
}

/** The plans, or the reason why there is none. */
async function explainAll(statements: string[], withPgClient: WithPgClient): Promise<string[]> {
  try {
    const plans: string[] = [];
    for (const text of statements) plans.push(await explain(text, withPgClient));
    return plans;
  } catch (error) {
    return [`no plan: ${(error as { code?: string }).code ?? "the database cannot be reached"}`];
  }
}

/**
 * The plan of a statement for any values of its parameters: neither does the statement run, nor do the values reach the
 * plan and so the log. PostgreSQL 14 and 15 show such a plan of a prepared statement only.
 */
function explain(text: string, withPgClient: WithPgClient): Promise<string> {
  return Promise.resolve(
    withPgClient(null, async (client) => {
      const query = (sql: string) => client.query<{ types: number; "QUERY PLAN": string }>({ text: sql });
      const find = `select cardinality(parameter_types) as types from pg_prepared_statements where name = '${statementName}'`;
      // A prepared statement outlives a transaction that failed.
      const { rows: left } = await query(find);
      if (left.length > 0) await query(`deallocate ${statementName}`);
      await query("set local plan_cache_mode = force_generic_plan");
      await query(`prepare ${statementName} as ${text}`);
      const { rows } = await query(find);
      const nulls = Array.from({ length: rows[0]?.types ?? 0 }, () => "null").join(", ");
      const plan = await query(`explain execute ${statementName}${nulls && `(${nulls})`}`);
      await query(`deallocate ${statementName}`);
      return plan.rows.map((row) => row["QUERY PLAN"]).join("\n");
    }),
  );
}
