import { hash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type ErrorCode, hasCode } from "@content-service/errors/ApiError.ts";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import {
  type Change,
  type EndReason,
  type FeedReader,
  type FeedSubscription,
  notSignedIn,
} from "postgraphile-change-feed";
import { anyCredential, type RequestCaller } from "../database/requestAccess.ts";
import type { OpenCredential } from "../identity/OpenCredentials.ts";
import type { Account, Held } from "../memory/ByteLedger.ts";
import { jsonHeap, leastResultHeap, subscriptionHeap } from "../memory/heap.ts";
import type { EventLoopShares } from "./EventLoopShares.ts";
import type { EventPage, EventPages, PagedResult } from "./EventPages.ts";
import type { EventQuery } from "./eventQuery.ts";
import { type ExecutorDependencies, executeOperation, largestResultHeap, NoRoom } from "./executeOperation.ts";
import { bytesOf, type OperationResult } from "./results.ts";
import type { EventResult, SharedResults } from "./SharedResults.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** How long to retry an event while the database is unavailable. After that the client is disconnected, to resume later. */
const retryForMs = 30_000;

/** The time that sending a result takes: its bytes are copied for each subscriber. */
const bytesSentPerMs = 500_000;
const msPerResult = 0.02;
/** A result of more bytes is sent in the subscriber's turn: those of hundreds of subscribers would keep the event loop busy. */
const largeBytes = 65_536;

/** So many events that wait are more than a burst. */
const leastBehind = 10;

const none = () => undefined;

export interface SubscriptionParts extends ExecutorDependencies {
  streams: FeedReader;
  turns: EventLoopShares;
  /** Results that are computed once, and the turns of subscribers that wait to compute them. */
  shared: SharedResults;
  pages: EventPages;
}

/** A subscription as its client asked for it. */
export interface SubscriptionRequest {
  served: ServedSchema;
  query: EventQuery;
  /** The heap that the document takes. */
  documentHeap: number;
  variables: Record<string, unknown>;
  /** The variables as the operation declares them. */
  coerced: Record<string, unknown>;
  caller: Pick<RequestCaller, "viewerId" | "address" | "quotaKey" | "operation">;
  account: Account;
  /** Ends with the client's token. Undefined for an anonymous client. */
  credential: OpenCredential | undefined;
}

/** The connection of a subscriber. */
export interface EventConnection {
  /** Copies the bytes, and counts what the client has not read of them. */
  send(result: Buffer): void;
  /** As UnreadBytes.turn(). */
  turn(act: () => void): Promise<void>;
}

/** The keys under which subscribers share what is computed for an event. */
interface SharingKeys {
  forAll: string;
  forViewer: string;
  turn: string;
}

/**
 * An open subscription to the events of one key of a stream. It may be idle for days, with tens of thousands of others: what it
 * needs for an event is made with the first one.
 *
 * Each event is executed as the subscriber's own operation. If the result is the same for all viewers of the row
 * (isSameForAll), it is computed once for each role, as the first of its viewers. The streams have checked every viewer's
 * right in the statement that found the event. A result is shared only if the row has not changed since, so nobody receives
 * what they could not read. Every other result is computed as the viewer, under the policies.
 * An event that has no such result yet waits for the subscriber's turn, so that costly selections delay the subscriber's own events.
 * The memory of a result is reserved before, until it is sent. Meanwhile the events are ids.
 * An event is retried while the database is unavailable: an error in its place would be a lost event.
 */
export class OpenSubscription {
  readonly #parts: SubscriptionParts;
  readonly #request: SubscriptionRequest;
  readonly #events: FeedSubscription;
  /** The page whose results wait for their events. */
  #page: EventPage | undefined;
  /** What it takes while it is open. */
  readonly #held: Held;
  #keys: SharingKeys | undefined;
  #signal: AbortSignal | undefined;
  #isGivenUp = false;

  private constructor(parts: SubscriptionParts, request: SubscriptionRequest, events: FeedSubscription) {
    this.#parts = parts;
    this.#request = request;
    this.#events = events;
    this.#held = request.account.hold("subscriptions");
    const { query, variables, documentHeap } = request;
    const own = subscriptionHeap + jsonHeap(Buffer.from(JSON.stringify(variables)));
    this.#held.set(query.charges.size === 0 ? own + documentHeap : own);
    query.charges.add(this.#held);
  }

  /**
   * @param given the arguments of the subscription's field
   * @param signal is aborted when the client does not wait any more
   * @throws UNAUTHORIZED for an anonymous viewer of a table that needs a token; the errors of FeedReader.subscribe()
   */
  static async open(
    parts: SubscriptionParts,
    request: SubscriptionRequest,
    given: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<OpenSubscription> {
    const { viewerId, quotaKey } = request.caller;
    const { stream, keyArgument, key = viewerId, unknownAfter } = request.query.extension;
    if (viewerId === "" && (keyArgument === undefined || !stream.isForAnonymous)) {
      throw notSignedIn();
    }
    const { after } = given;
    const events = await parts.streams.subscribe({
      feed: stream,
      key: keyArgument === undefined ? key : String(given[keyArgument]),
      viewerId,
      quotaKey,
      ...(typeof after === "string" ? { after } : null),
      unknownAfter,
      signal,
    });
    return new OpenSubscription(parts, request, events);
  }

  /** Why the service ended it; undefined while it is open, and after stop(). */
  get endReason(): EndReason | undefined {
    return this.#isGivenUp ? "unavailable" : this.#events.reason;
  }

  /**
   * Sends one result for each event, in order, until the subscription ends. Never rejects.
   */
  async forward(connection: EventConnection): Promise<void> {
    for await (const event of this.#events) if (!(await this.#deliver(event, connection))) break;
    this.#page?.drop();
    this.#release();
  }

  async stop(): Promise<void> {
    await this.#events.return();
    this.#release();
  }

  /** Says to a client that is behind how many events wait, as far as they are read. Others may receive the same bytes. */
  #told(result: Buffer): Buffer {
    const { length } = this.#events.waiting;
    return length < leastBehind
      ? result
      : Buffer.concat([result.subarray(0, -2), Buffer.from(`,"behind":${length}}}`)]);
  }

  /** Idempotent. */
  #release(): void {
    const { query, documentHeap } = this.#request;
    const [payer] = query.charges;
    query.charges.delete(this.#held);
    this.#held.release();
    const [next] = query.charges;
    if (next && payer === this.#held) next.set(next.bytes + documentHeap);
  }

  /** Sends the result of one event. @returns false when the subscription ended before there was a result */
  async #deliver(event: Change, connection: EventConnection): Promise<boolean> {
    const held = this.#request.account.hold("results");
    try {
      const kind = await this.#resultInTurn(event, held);
      // Deleted in the meantime, or no longer visible: skip the event.
      if (kind === undefined || kind === "gone") return kind !== undefined;
      if (await this.#request.credential?.hasEnded()) return true;
      const send = () => connection.send(this.#told(held.content));
      if (held.bytes > largeBytes) await connection.turn(send);
      else send();
      return true;
    } finally {
      held.release();
    }
  }

  /** Fills `held` with the result. Undefined when the subscription ended before there was one. */
  async #resultInTurn(event: Change, held: Held): Promise<EventResult["kind"] | undefined> {
    const { query } = this.#request;
    const { shared } = this.#parts;
    const { forAll, turn } = this.#sharingKeys();
    const isKnown = query.isSameForAll && shared.has(event, query, forAll);
    if (!isKnown) await shared.once(event, query, turn, () => this.#waitForTurn());
    const signal = this.#untilEnd();
    let giveUpAt = performance.now() + retryForMs;
    for (let attempt = 1; !signal.aborted; attempt++) {
      await this.#reserve(held, signal);
      if (signal.aborted) break;
      const kind = await this.#fill(held, event);
      if (kind !== "unavailable" && kind !== "no room") {
        await this.#waitToSend(held.bytes);
        return kind;
      }
      held.release();
      if (kind === "no room") {
        giveUpAt = performance.now() + retryForMs;
        continue;
      }
      this.#isGivenUp = performance.now() > giveUpAt;
      if (this.#isGivenUp) break;
      await delay(retryDelay(attempt), undefined, { signal }).catch(none);
    }
    return undefined;
  }

  /** An operation that has had no result yet may take as much as any: it runs while its client has no other one, with what there is. */
  async #reserve(held: Held, signal: AbortSignal): Promise<void> {
    const { served, query } = this.#request;
    const { resultHeap } = query.prepared;
    const [bytes, least] = [resultHeap ?? largestResultHeap(served), resultHeap ?? leastResultHeap];
    await held.reserve(bytes, signal, false, least)?.catch(none);
  }

  async #fill(held: Held, event: Change): Promise<EventResult["kind"] | undefined> {
    const { query } = this.#request;
    const { shared } = this.#parts;
    const { forAll, forViewer } = this.#sharingKeys();
    if (query.isSameForAll) {
      const kind = await shared.fill(held, event, query, forAll, () => this.#executeForAll(event, held, forAll));
      // An error of another subscriber's query may not occur for this one.
      if (kind && kind !== "errors" && kind !== "gone") return kind;
    }
    return shared.fill(
      held,
      event,
      query,
      forViewer,
      async () => resultIn(await this.#takeOfPage(event, forViewer)) ?? this.#execute(event, held),
    );
  }

  async #takeOfPage(event: Change, key: string): Promise<PagedResult | undefined> {
    const { served, query, coerced, caller } = this.#request;
    const { streams, pages } = this.#parts;
    return pages.take(event, this.#events.waiting, key, {
      served,
      query,
      coerced,
      caller: { ...caller, requestId: randomUUID() },
      hold: () => this.#request.account.hold("results"),
      made: (page) => {
        this.#page?.drop();
        this.#page = page;
      },
      isUnchanged: (one) => streams.isUnchanged(query.extension.stream, one),
    });
  }

  /** Undefined when the row has changed since the policies were asked who may read it. */
  async #executeForAll(event: Change, held: Held, key: string): Promise<EventResult | undefined> {
    const { extension } = this.#request.query;
    const paged = await this.#takeOfPage(event, key);
    if (paged) return paged.isUnchanged ? resultIn(paged) : undefined;
    const result = await this.#execute(event, held);
    return (await this.#parts.streams.isUnchanged(extension.stream, event)) ? result : undefined;
  }

  async #execute(event: Change, held: Held): Promise<EventResult> {
    const { served, query, variables, coerced, caller } = this.#request;
    const execution = {
      prepared: query.prepared,
      variables,
      coerced,
      executor: "engine" as const,
      event,
      held,
      // Without a signal or a token: other subscribers may share the response. forward() asks for the token.
      caller: { ...caller, credential: anyCredential, requestId: randomUUID() },
    };
    const charge = (busyMs: number) => this.#parts.turns.charge(caller.quotaKey, busyMs);
    try {
      const executed = await executeOperation(served, execution, this.#parts, charge);
      const content = bytesOf(executed, { after: event.position });
      return { kind: kindOf(executed, query.responseName), content };
    } catch (error) {
      if (error instanceof NoRoom) return { kind: "no room" };
      const executed = { result: { errors: [this.#parts.formatError(error)] } };
      return { kind: kindOf(executed, query.responseName), content: bytesOf(executed, { after: event.position }) };
    }
  }

  /** Sending an event counts, and waits like executing one: one result may have many subscribers. */
  async #waitToSend(bytes: number): Promise<void> {
    const { turns } = this.#parts;
    const { quotaKey } = this.#request.caller;
    turns.charge(quotaKey, msPerResult + bytes / bytesSentPerMs);
    if (bytes > largeBytes || turns.isBehind(quotaKey)) await this.#waitForTurn();
  }

  /** Resolves at the end too, which #resultInTurn() notices. */
  async #waitForTurn(): Promise<void> {
    await this.#parts.turns.takeForEvent(this.#request.caller.quotaKey, this.#untilEnd()).catch(none);
  }

  #untilEnd(): AbortSignal {
    if (!this.#signal) {
      const ended = new AbortController();
      this.#signal = ended.signal;
      void this.#events.ended.then(() => ended.abort());
    }
    return this.#signal;
  }

  #sharingKeys(): SharingKeys {
    if (!this.#keys) {
      const { query, variables, caller } = this.#request;
      const { viewerId, quotaKey } = caller;
      const role = viewerId === "" ? "anonymous" : "member";
      // A missing variable is not null: only null overrides a default.
      const values = query.variables.map((name) => [Object.hasOwn(variables, name), variables[name]]);
      this.#keys = {
        forAll: keyOf(role, values),
        forViewer: keyOf(role, viewerId, values),
        turn: keyOf("turn", quotaKey, viewerId, values),
      };
    }
    return this.#keys;
  }
}

/** Of fixed length: variables may have megabytes. */
function keyOf(...parts: unknown[]): string {
  return hash("sha256", JSON.stringify(parts), "base64url");
}

function resultIn(paged: PagedResult | undefined): EventResult | undefined {
  if (!paged) return undefined;
  return paged.content ? { kind: "data", content: paged.content } : { kind: "gone" };
}

function kindOf({ result }: OperationResult, responseName: string): EventResult["kind"] {
  const { errors } = result;
  if (!errors) return "data";
  const has = (code: ErrorCode) => errors.some((error) => hasCode(error, code));
  // No database, no room for the result, or a lock.
  if (has("SERVICE_UNAVAILABLE") || has("RATE_LIMITED") || has("CONFLICT")) return "unavailable";
  return has("NOT_FOUND") && result.data?.[responseName] === null ? "gone" : "errors";
}
