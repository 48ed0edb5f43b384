import type { EndReason } from "@content-service/change-feed/StreamSubscription.ts";
import type { FormattedExecutionResult, OperationDefinitionNode } from "graphql";
import type { Logger } from "pino";
import type { Metrics, Transport } from "./Metrics.ts";
import { describeNotes, noteErrors, noteOperation, type RequestNotes } from "./requestLog.ts";

/** Observes one operation on a WebSocket. */
export interface ObservedOperation {
  /** Called when the answer is sent, and when a subscription is open or refused. */
  answered(operation: OperationDefinitionNode | undefined, result: FormattedExecutionResult, isRefused: boolean): void;
  /** Called when a subscription ends. @param reason undefined when the client ended it */
  ended(reason: EndReason | undefined): void;
}

/** Observes one WebSocket. */
export interface ObservedSocket {
  operation(userId: string | undefined): ObservedOperation;
  /** May be called more than once. */
  closed(): void;
}

/** A socket's refused operations have at most one line in this time. */
const refusedEveryMs = 1_000;

/**
 * Log and metrics of WebSockets: a line for each handshake, for each operation's answer and for each subscription's end.
 * `requestId` is the handshake's. Refused operations cost a client nothing, so they share a line: `refused` counts those since
 * the line before.
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

  socket(requestId: string, transport: Transport = "websocket"): ObservedSocket {
    let refused = 0;
    let nextRefusedAt = 0;
    const logRefused = (line: object) => {
      this.#log.info({ ...line, ...(refused > 1 ? { refused } : null) }, "operation");
      refused = 0;
      nextRefusedAt = performance.now() + refusedEveryMs;
    };
    return {
      operation: (userId) => {
        const notes: RequestNotes = { userId, codes: [], errorIds: [] };
        const startedAt = performance.now();
        const line = () => ({ requestId, ms: elapsedMs(startedAt), ...describeNotes(notes) });
        return {
          answered: (operation, result, isRefused) => {
            noteOperation(notes, operation);
            noteErrors(notes, result);
            this.#metrics.countRequest({ ...notes, transport, seconds: elapsedMs(startedAt) / 1_000 });
            if (!isRefused) return this.#log.info(line(), "operation");
            refused += 1;
            if (performance.now() >= nextRefusedAt) logRefused(line());
          },
          ended: (reason) => this.#log.info({ ...line(), ...(reason ? { reason } : null) }, "subscription over"),
        };
      },
      closed: () => {
        if (refused > 0) logRefused({ requestId });
      },
    };
  }
}

function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}
