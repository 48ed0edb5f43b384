import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** As many operations as one client has, and some more; each is a series of its own in Prometheus. */
const distinctOperations = 100;

/** One request as the metrics see it. */
export interface CountedRequest {
  /** Undefined where there is no document that could be executed. */
  operationName?: string | undefined;
  operationType?: string | undefined;
  codes: string[];
  transport: "http" | "websocket";
  /** The HTTP status; operations on a WebSocket have none. */
  status?: number;
  /** Until its answer, or until a subscription was open. */
  seconds: number;
}

/** What Prometheus reads of one instance. Labels have few values, whatever clients send. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #operations = new Set<string>();
  readonly #requests = new Counter({
    name: "graphql_requests_total",
    help: "Requests to /graphql and operations on its WebSockets, by name and type of the operation and HTTP status.",
    labelNames: ["operation", "type", "transport", "status"],
    registers: [this.#registry],
  });
  readonly #errors = new Counter({
    name: "graphql_errors_total",
    help: "Requests with errors, by the name of the operation and the errors' code.",
    labelNames: ["operation", "code"],
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: "graphql_request_duration_seconds",
    help: "From a request's headers to the end of its answer, of a subscription until it is open, by operation.",
    labelNames: ["operation", "transport"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });

  constructor() {
    // Memory, handles, garbage collection, and how late the event loop is.
    collectDefaultMetrics({ register: this.#registry });
  }

  countRequest({ operationName, operationType, codes, transport, status, seconds }: CountedRequest): void {
    const operation = this.#bounded(operationName);
    this.#requests.inc({ operation, type: operationType ?? "none", transport, status: status ?? "none" });
    for (const code of codes) this.#errors.inc({ operation, code });
    this.#durations.observe({ operation, transport }, seconds);
  }

  /**
   * A number that is read whenever Prometheus asks: open sockets, subscriptions, a queue's length.
   *
   * @param read by the value of `label`, where there is one
   */
  registerGauge(name: string, help: string, read: () => number | Record<string, number>, label = "state"): void {
    const hasLabel = typeof read() !== "number";
    new Gauge({
      name,
      help,
      labelNames: hasLabel ? [label] : [],
      registers: [this.#registry],
      collect() {
        const value = read();
        if (typeof value === "number") return this.set(value);
        for (const [state, number] of Object.entries(value)) this.set({ [label]: state }, number);
      },
    });
  }

  /** A number that only grows, and is read whenever Prometheus asks. */
  registerCounter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** In Prometheus' text format. */
  async print(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** Clients name their operations, so they could make series without end: those beyond a number share one. */
  #bounded(operationName: string | undefined): string {
    if (operationName === undefined) return "none";
    if (this.#operations.size < distinctOperations) this.#operations.add(operationName);
    return this.#operations.has(operationName) ? operationName : "other";
  }
}
