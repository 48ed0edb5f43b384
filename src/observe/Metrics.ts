import { performance } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { OperationNames } from "./OperationNames.ts";

/** Clients choose operation names. Cap the label values, or the metrics grow without bound. */
const distinctOperations = 100;
const transports = ["http", "websocket", "sse"] as const;
export type Transport = (typeof transports)[number];

/** One request, as the metrics count it. */
export interface RequestMetrics {
  /** Undefined without a valid document. */
  operationName?: string | undefined;
  operationType?: string | undefined;
  codes: string[];
  transport: Transport;
  /** The HTTP status; operations on a WebSocket and subscriptions have none. */
  status?: number;
  /** Time until the response, or until the subscription is open. */
  seconds: number;
}

/** A number, or one for each value of a label. */
type Read = () => number | Readonly<Record<string, number>>;

/** Of the process: memory, handles, garbage collection and event loop lag. Made once, since its observers stay. */
let ofProcess: Registry | undefined;

function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** The Prometheus metrics of one instance. The cardinality of labels is bounded, whatever clients send. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #ofProcess = processMetrics();
  readonly #operations = new OperationNames(distinctOperations, (name) => void this.#forget(name));
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
    help: "From a request's headers to the end of its response, of a subscription until it is open, by operation.",
    labelNames: ["operation", "transport"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [this.#registry],
  });

  readonly #disbelieved = new Counter({
    name: "forwarded_for_disbelieved_total",
    help: "Requests with an address in X-Forwarded-For that no trusted proxy has written.",
    registers: [this.#registry],
  });

  constructor() {
    this.counter(
      "nodejs_eventloop_active_seconds_total",
      "Time in which the event loop was busy. Its rate is the share of a core that is used.",
      () => performance.eventLoopUtilization().active / 1_000,
    );
  }

  countDisbelief(): void {
    this.#disbelieved.inc();
  }

  countRequest({ operationName, operationType, codes, transport, status, seconds }: RequestMetrics): void {
    const operation = this.#bounded(operationName);
    this.#requests.inc({ operation, type: operationType ?? "none", transport, status: status ?? "none" });
    for (const code of codes) this.#errors.inc({ operation, code });
    this.#durations.observe({ operation, transport }, seconds);
  }

  /**
   * Registers a number that is read at each scrape: open sockets, subscriptions, the length of a queue.
   *
   * @param read returns a number, or one number for each value of `label`
   */
  gauge(name: string, help: string, read: Read, label?: string): void {
    this.#register(Gauge, name, help, read, label);
  }

  /** Registers a number that only grows and is read at each scrape, or one number for each value of `label`. */
  counter(name: string, help: string, read: Read, label?: string): void {
    this.#register(Counter, name, help, read, label);
  }

  #register(Metric: typeof Gauge | typeof Counter, name: string, help: string, read: Read, label = ""): void {
    new Metric({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [this.#registry],
      collect(this: Gauge | Counter) {
        const value = read();
        this.reset();
        if (typeof value === "number") return this.inc(value);
        for (const [each, number] of Object.entries(value)) this.inc({ [label]: each }, number);
      },
    });
  }

  /** In Prometheus' text format. */
  async print(): Promise<{ contentType: string; text: string }> {
    const all = Registry.merge([this.#registry, this.#ofProcess]);
    return { contentType: all.contentType, text: await all.metrics() };
  }

  /** All names that are no labels share the label value `other`. */
  #bounded(operationName: string | undefined): string {
    if (operationName === undefined) return "none";
    return this.#operations.count(operationName) ? operationName : "other";
  }

  /** Ends the series of a name, as a restart of the instance would. */
  async #forget(operation: string): Promise<void> {
    for (const transport of transports) this.#durations.remove({ operation, transport });
    for (const counter of [this.#requests, this.#errors] as Counter[]) {
      const { values } = await counter.get();
      for (const { labels } of values) if (labels["operation"] === operation) counter.remove(labels);
    }
  }
}
