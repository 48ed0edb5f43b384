import type { FormattedExecutionResult, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { EndReason } from "../messages/MessageSubscription.ts";
import type { Metrics } from "./Metrics.ts";
import { describeNotes, noteErrors, noteOperation, type RequestNotes } from "./RequestNotes.ts";

/** Observes one operation on a WebSocket. */
export interface ObservedOperation {
  /** Called when the answer is sent, and when a subscription is open or refused. */
  answered(operation: OperationDefinitionNode | undefined, result: FormattedExecutionResult): void;
  /** Called when a subscription ends. @param reason undefined when the client ended it */
  ended(reason: EndReason | undefined): void;
}

/**
 * Log and metrics of WebSockets: a line for each handshake, for each operation's answer and for each subscription's end.
 * `requestId` is the handshake's.
 */
export class SocketObserver {
  readonly #log: Logger;
  readonly #metrics: Metrics;

  constructor(log: Logger, metrics: Metrics) {
    this.#log = log;
    this.#metrics = metrics;
  }

  handshake(requestId: string, path: string, status: number): void {
    this.#log.info({ requestId, method: "GET", path: path.slice(0, 200), status }, "request");
  }

  operation(requestId: string, userId: string | undefined): ObservedOperation {
    const notes: RequestNotes = { userId, codes: [], errorIds: [] };
    const startedAt = performance.now();
    const line = () => ({ requestId, ms: elapsedMs(startedAt), ...describeNotes(notes) });
    return {
      answered: (operation, result) => {
        noteOperation(notes, operation);
        noteErrors(notes, result);
        this.#metrics.countRequest({ ...notes, transport: "websocket", seconds: elapsedMs(startedAt) / 1_000 });
        this.#log.info(line(), "operation");
      },
      ended: (reason) => this.#log.info({ ...line(), ...(reason ? { reason } : null) }, "subscription over"),
    };
  }
}

function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
