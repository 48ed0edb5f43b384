import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { StartError } from "@content-service/support/StartError.ts";
import type { Logger } from "pino";
import { AggregatorRegistry } from "prom-client";
import type { Envelope, ToPrimary, ToWorker } from "./messages.ts";

const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** A worker that ends longer than this after the one before it is replaced after the first pause again. */
const calmMs = 60_000;

/**
 * Runs the workers, each of which is a whole service. They share the port. A worker that ends is replaced, after a pause that grows
 * while workers end often.
 */
export class Primary implements AsyncDisposable {
  readonly #count: number;
  readonly #log: Logger;
  readonly #metrics = new AggregatorRegistry();
  readonly #ready = new Set<Worker>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #started = Promise.withResolvers<string>();
  #known: ToWorker = {};
  #pauseMs = firstPauseMs;
  #lastEndAt = 0;
  #hasStarted = false;
  #isStopping = false;

  constructor(count: number, log: Logger) {
    this.#count = count;
    this.#log = log;
    cluster.on("exit", (worker, code, signal) => this.#replace(worker, signal || code));
    cluster.on("message", (worker, { contentService }: Envelope<ToPrimary>) => {
      if (contentService?.url) this.#noteReady(worker, contentService.url);
      if (contentService?.asksMetrics) void this.#sendMetrics(worker);
    });
  }

  /**
   * Starts the first worker, and the others once it is ready: it finds what prevents a start, and says so once.
   *
   * @returns the URL, when all are ready
   * @throws StartError when the first worker ends before it is ready
   */
  start(): Promise<string> {
    this.#fork();
    return this.#started.promise;
  }

  /** Tells all workers, also those that start later. */
  tell(news: ToWorker): void {
    this.#known = { ...this.#known, ...news };
    for (const worker of workers()) send(worker, news);
  }

  /** Stops the workers as a signal stops a service, and waits for their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const ends = workers().map((worker) => once(worker, "exit"));
    for (const worker of workers()) worker.process.kill("SIGTERM");
    await Promise.all(ends);
  }

  #fork(): void {
    send(cluster.fork(), this.#known);
  }

  #noteReady(worker: Worker, url: string): void {
    this.#ready.add(worker);
    if (!this.#hasStarted) for (let others = 1; others < this.#count; others++) this.#fork();
    this.#hasStarted = true;
    if (this.#ready.size < this.#count) return;
    this.tell({ areReady: true });
    this.#started.resolve(url);
  }

  #replace(worker: Worker, reason: string | number): void {
    this.#ready.delete(worker);
    if (this.#isStopping) return;
    // Its reason is printed already.
    if (!this.#hasStarted) return this.#started.reject(new StartError("The service could not start."));
    this.tell({ areReady: false });
    const now = performance.now();
    this.#pauseMs = now - this.#lastEndAt > calmMs ? firstPauseMs : Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#lastEndAt = now;
    this.#log.error(
      { worker: worker.process.pid, reason, pauseMs: this.#pauseMs },
      "a worker ended; another one starts",
    );
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fork();
    }, this.#pauseMs);
    this.#timers.add(timer);
  }

  async #sendMetrics(worker: Worker): Promise<void> {
    const metrics = await this.#metrics.clusterMetrics().then(
      (text) => ({ text }),
      (error: Error) => ({ fault: error.message }),
    );
    send(worker, { metrics });
  }
}

function workers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function send(worker: Worker, contentService: ToWorker): void {
  // The worker may have ended. Its end is an event of its own.
  worker.send({ contentService } satisfies Envelope<ToWorker>, () => {});
}
