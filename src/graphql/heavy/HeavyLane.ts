import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import {
  type DocumentNode,
  type FormattedExecutionResult,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
} from "graphql";
import type { Logger } from "pino";
import type { PoolSettings } from "../../database/pool.ts";
import type { TokenSettings } from "../../identity/tokenSettings.ts";
import { Slots } from "../../support/Slots.ts";
import type { Execution } from "../executeOperation.ts";
import type { Cost } from "../request/checkDocument.ts";
import type { Limits } from "../request/limits.ts";
import type { Answer, Task, WorkerData } from "./worker.ts";

export interface HeavyLaneSettings extends PoolSettings {
  token: TokenSettings;
  limits: Limits;
}

/**
 * From here on an operation is heavy. To plan one takes up to half a millisecond for each of its selections, its fragments
 * expanded, and ten times as much for each mutation; nothing else is done meanwhile.
 */
const heavyWeight = 80;
const mutationWeight = 10;

/** Connections of the worker's own, and how many operations it is given at once. */
const poolSize = 4;

/** How long a worker has to say good-bye to the database. */
const farewellMs = 500;

/**
 * Runs the heavy operations on another thread, so that no request keeps the others waiting while it is planned. It has a
 * schema and connections of its own, and starts with the first operation that needs it.
 */
export class HeavyLane {
  readonly #settings: HeavyLaneSettings;
  readonly #log: Logger;
  readonly #slots = new Slots(poolSize);
  #thread: Thread | undefined;

  constructor(settings: HeavyLaneSettings, log: Logger) {
    const { apiDatabaseUrl, poolTimeoutMs, statementTimeoutMs, token, limits } = settings;
    this.#settings = { apiDatabaseUrl, poolSize, poolTimeoutMs, statementTimeoutMs, token, limits };
    this.#log = log;
  }

  isFor({ operation }: OperationDefinitionNode, { selections, rootFields }: Cost): boolean {
    const mutations = operation === OperationTypeNode.MUTATION ? rootFields : 0;
    return selections + mutations * mutationWeight >= heavyWeight;
  }

  /**
   * Never rejects: SERVICE_UNAVAILABLE is the answer to who has waited for its turn as long as one may for a connection, and
   * when the thread has ended under it.
   */
  async execute(execution: Execution): Promise<FormattedExecutionResult> {
    const isIn = await this.#slots.enter(this.#settings.poolTimeoutMs);
    if (!isIn) return unavailable("Too many large operations are under way. Try again.");
    try {
      return await this.#run(execution);
    } finally {
      this.#slots.leave();
    }
  }

  async #run(execution: Execution): Promise<FormattedExecutionResult> {
    if (execution.caller.signal?.aborted) return unavailable("Nobody waits for this any more.");
    if (!this.#thread || this.#thread.isLost) this.#thread = new Thread(this.#settings, this.#log);
    return this.#thread.execute(execution);
  }

  /** What comes from now on is answered from the schema as the database has it now. */
  renew(): void {
    void this.#thread?.finish();
    this.#thread = undefined;
  }

  /** Waits for nothing that is under way. */
  async stop(): Promise<void> {
    await this.#thread?.stop();
  }
}

function unavailable(message: string): FormattedExecutionResult {
  return { errors: [{ message, extensions: { code: "SERVICE_UNAVAILABLE" } }], data: null };
}

/** The text of what was not sent by a client but made of it. */
const printed = new WeakMap<DocumentNode, string>();

function textOf(document: DocumentNode): string {
  const text = document.loc?.source.body ?? printed.get(document) ?? print(document);
  if (!document.loc) printed.set(document, text);
  return text;
}

class Thread {
  /** Whether it takes no more. */
  isLost = false;
  readonly #worker: Worker;
  /** Not the worker's own way of talking, which Node uses, too: `node --watch` does. */
  readonly #port: MessagePort;
  /** Whoever waits for an answer, by the number of the task. */
  readonly #waiting = new Map<number, (result: FormattedExecutionResult) => void>();
  readonly #ended: Promise<void>;
  #count = 0;
  #onIdle = () => {};

  constructor(settings: HeavyLaneSettings, log: Logger) {
    const { port1, port2 } = new MessageChannel();
    const workerData: WorkerData = { settings, port: port2 };
    this.#worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData, transferList: [port2] });
    this.#port = port1;
    this.#port.on("message", (answer: Answer) => {
      if (answer === "lost") return void (this.isLost = true);
      if ("line" in answer) return log[answer.level](answer.line, answer.words);
      this.#settle(answer.id, JSON.parse(answer.result));
    });
    this.#worker.on("error", (error) => log.error({ err: error }, "the thread for heavy operations has failed"));
    this.#ended = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        this.isLost = true;
        this.#port.close();
        for (const id of this.#waiting.keys()) this.#settle(id, unavailable("This could not be finished. Try again."));
        resolve();
      });
    });
  }

  execute({ document, operation, variables, caller }: Execution): Promise<FormattedExecutionResult> {
    const id = this.#count++;
    const noLocation = document.loc === undefined;
    const operationName = operation.name?.value;
    // A signal does not go from thread to thread.
    const task: Task = {
      id,
      text: textOf(document),
      noLocation,
      operationName,
      variables,
      caller: { ...caller, signal: undefined },
    };
    this.#port.postMessage(task);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** Ends when it has done what it has begun. */
  async finish(): Promise<void> {
    if (this.#waiting.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.stop();
  }

  async stop(): Promise<void> {
    this.#port.postMessage("stop");
    const deadline = setTimeout(() => this.#worker.terminate(), farewellMs);
    await this.#ended;
    clearTimeout(deadline);
  }

  #settle(id: number, result: FormattedExecutionResult): void {
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#onIdle();
  }
}
