import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import { isBlocked, type Replicas } from "pg-caller-pool";

/** A database that needs longer to try two requests counts as unavailable. */
const patienceMs = 1_000;
const noResponse = "the database does not answer";
const noConnection = "no request gets a connection";

/** Why no connection can be opened, by SQLSTATE. */
const reasons: [RegExp, string][] = [
  [/^53300$/, "the database has no free connection for the service"],
  [/^3D/, "there is no such database on the server"],
  [/^(28|42501)/, "the database refuses the service's login"],
];

/** Tries a request as a visitor and as a member. */
const tryRequests = "select app_private.request_problem() as problem";

/**
 * Whether a load balancer should send requests here: those of visitors and members work, and the service is not stopping. Without the
 * primary, a replica in the rotation is enough: all instances would be taken out at once, and the replicas still answer queries.
 */
export class Readiness {
  readonly #probes: pg.Pool;
  readonly #requestPool: pg.Pool;
  readonly #replicas: Replicas | undefined;
  /** Open connections of the request pool. Its own count includes those that are still connecting. */
  #requestConnections: number;
  #asking: Promise<string | undefined> | undefined;
  isStopping = false;
  /** Whether keep-alive clients are asked to reconnect, so that a load balancer can send them elsewhere. */
  asksToReconnect = false;

  /**
   * @param probes connections that nothing else uses, so that a busy service stays ready
   * @param requestPool the connections for requests: without a single one, no request could be answered
   */
  constructor(probes: pg.Pool, requestPool: pg.Pool, replicas?: Replicas) {
    this.#probes = probes;
    this.#replicas = replicas;
    this.#requestPool = requestPool;
    this.#requestConnections = requestPool.totalCount;
    requestPool.on("connect", () => this.#requestConnections++).on("remove", () => this.#requestConnections--);
  }

  /** The reason for not being ready, or undefined. Concurrent probes share one query. */
  async problem(): Promise<string | undefined> {
    if (this.isStopping) return "stopping";
    this.#asking ??= this.#databaseProblem().finally(() => {
      this.#asking = undefined;
    });
    const problem = await this.#asking;
    const readsGoOn = this.#replicas?.all.some(({ isInRotation }) => isInRotation);
    return (problem === noResponse || problem === noConnection) && readsGoOn ? undefined : problem;
  }

  async #databaseProblem(): Promise<string | undefined> {
    const responses = Promise.all([
      this.#probes.query<{ problem: string | null }>(tryRequests),
      this.#requestConnections > 0 ? undefined : this.#requestPool.query("select"),
    ]).then(
      ([{ rows }]) => rows[0]?.problem ?? (isBlocked(this.#requestPool) ? noConnection : undefined),
      (error) => reasons.find(([state]) => state.test(sqlStateOf(error)))?.[1] ?? noResponse,
    );
    return Promise.race([responses, delay(patienceMs, noResponse, { ref: false })]);
  }
}
