import { setTimeout as delay } from "node:timers/promises";
import type { Caller } from "@content-service/caller-pool/caller.ts";
import type { StreamEvent } from "@content-service/change-feed/StreamEvent.ts";
import type { EndReason, StreamSubscription } from "@content-service/change-feed/StreamSubscription.ts";
import type { Streams } from "@content-service/change-feed/Streams.ts";
import { hasCode, unauthorized } from "@content-service/errors/ApiError.ts";
import { retryDelay } from "@content-service/support/retryDelay.ts";
import { type Executed, withExtensions } from "./answers.ts";
import type { CallerTurns } from "./CallerTurns.ts";
import type { EventQuery } from "./eventQuery.ts";
import { SharedResults } from "./SharedResults.ts";

/** An open subscription. */
export interface Subscription {
  /** The text of one result for each event, in order. Ends with the subscription, and never throws. */
  results: AsyncIterable<string>;
  /** Why the service ended it; undefined while it is open, and after stop(). */
  readonly endReason: EndReason | undefined;
  stop(): Promise<unknown>;
}

/** How long to retry an event while the database is unavailable. After that the client is disconnected, to resume later. */
const retryForMs = 30_000;

/** What it costs to send a result: its text is copied for each subscriber. */
const bytesSentPerMs = 100_000;
const msPerResult = 0.02;
/** A result of more bytes is sent in the subscriber's turn, because those of hundreds of subscribers would fill the memory at once. */
const largeBytes = 65_536;

/** Executes the subscription's operation for an event. */
type Execute = (event: StreamEvent) => Promise<Executed>;

/** A result with its text, which all subscribers share. */
interface EventResult extends Executed {
  json: string;
}

const none = () => undefined;

/** Results that are computed once, and the turns of subscribers that wait to compute them. */
const shared = new SharedResults(8_000_000);

/**
 * Opens a subscription to the events of one key of a stream.
 *
 * Each event is answered as the subscriber's own operation. If the answer is the same for all viewers of the row
 * (isSameForAll), it is computed once for each role, as the first of its viewers. The streams have checked every viewer's
 * right in the statement that found the event. An answer is shared only if the row has not changed since, so nobody receives
 * what they could not read. Every other answer is computed as the viewer, under the policies.
 * An event that has no such answer yet waits for the subscriber's turn, so that costly selections delay the subscriber's own events.
 * An event is retried while the database is unavailable: an error in its place would be a lost event.
 *
 * @param given the arguments of the subscription's field
 * @throws UNAUTHORIZED for an anonymous viewer of a table that needs a token; the errors of Streams.subscribe()
 */
export async function openSubscription(
  streams: Streams,
  turns: CallerTurns,
  query: EventQuery,
  given: Record<string, unknown>,
  variables: Record<string, unknown>,
  { viewerId, quotaKey }: Pick<Caller, "viewerId" | "quotaKey">,
  execute: Execute,
): Promise<Subscription> {
  const { stream, keyArgument, key = viewerId, unknownAfter } = query.extension;
  if (viewerId === "" && (keyArgument === undefined || !stream.isForAnonymous)) {
    throw unauthorized("Sign in to listen.", "NOT_SIGNED_IN");
  }
  const { after } = given;
  const events = await streams.subscribe({
    stream,
    key: keyArgument === undefined ? key : String(given[keyArgument]),
    viewerId,
    quotaKey,
    ...(typeof after === "string" ? { after } : null),
    unknownAfter,
  });
  // A missing variable is not null: only null overrides a default.
  const values = query.variables.map((name) => [Object.hasOwn(variables, name), variables[name]]);
  const role = viewerId === "" ? "anonymous" : "member";
  const [forAll, forViewer, turn] = [
    [role, values],
    [role, viewerId, values],
    ["turn", quotaKey, viewerId, values],
  ].map((parts) => JSON.stringify(parts)) as [string, string, string];
  const own = async (event: StreamEvent): Promise<EventResult> => {
    const { result, json = JSON.stringify(result) } = await execute(event);
    // An update has no id of its own that could be selected.
    return { result, json: stream.kind === "updated" ? withExtensions(json, { after: String(event.number) }) : json };
  };

  /** Undefined when the row has changed since the policies were asked who may read it. */
  async function ofAll(event: StreamEvent): Promise<EventResult | undefined> {
    const result = await own(event);
    return (await streams.isUnchanged(stream, event)) ? result : undefined;
  }

  async function answerOnce(event: StreamEvent): Promise<EventResult> {
    if (query.isSameForAll) {
      const result = await shared.get(event, query, forAll, () => ofAll(event), bytesOf);
      // An error of another subscriber's query may not occur for this one.
      if (result && (!result.result.errors || isUnavailable(result))) return result;
    }
    return shared.get(event, query, forViewer, () => own(event), bytesOf);
  }

  const ended = new AbortController();
  void events.ended.then(() => ended.abort());
  let isGivenUp = false;

  /** The loop of answer() notices the end. */
  const waitForTurn = () => turns.takeForEvent(quotaKey, ended.signal).then(none, none);

  /** Sending an event counts, and waits like executing one: one result may have many subscribers. */
  async function inTurn(result: EventResult): Promise<EventResult> {
    const { length } = result.json;
    turns.charge(quotaKey, msPerResult + length / bytesSentPerMs);
    if (length > largeBytes || turns.isBehind(quotaKey)) await waitForTurn();
    return result;
  }

  /** Undefined when the subscription ended before there was an answer. */
  async function answer(event: StreamEvent): Promise<EventResult | undefined> {
    const isAnswered = query.isSameForAll && shared.has(event, query, forAll);
    if (!isAnswered) await shared.get(event, query, turn, waitForTurn, () => 0);
    const giveUpAt = performance.now() + retryForMs;
    for (let attempt = 1; !ended.signal.aborted; attempt++) {
      const result = await answerOnce(event);
      if (!isUnavailable(result)) return inTurn(result);
      isGivenUp = performance.now() > giveUpAt;
      if (isGivenUp) break;
      await delay(retryDelay(attempt), undefined, { signal: ended.signal }).catch(() => {});
    }
    return undefined;
  }

  return {
    results: resultsOf(events, query, answer),
    get endReason() {
      return isGivenUp ? "unavailable" : events.reason;
    },
    stop: () => events.return(),
  };
}

async function* resultsOf(
  events: StreamSubscription,
  { responseName }: EventQuery,
  answer: (event: StreamEvent) => Promise<EventResult | undefined>,
): AsyncGenerator<string> {
  for await (const event of events) {
    const answered = await answer(event);
    if (!answered) return;
    const { result, json } = answered;
    const isGone = result.errors?.some((error) => hasCode(error, "NOT_FOUND")) && result.data?.[responseName] === null;
    // Deleted in the meantime, or no longer visible: skip the event.
    if (!isGone) yield json;
  }
}

/** Whether the database was unavailable. The event must be retried. */
function isUnavailable({ result }: EventResult): boolean {
  return result.errors?.some((error) => hasCode(error, "SERVICE_UNAVAILABLE")) ?? false;
}

function bytesOf(result: EventResult | undefined): number {
  if (!result) return 0;
  // The next attempt is shared again.
  return isUnavailable(result) ? Number.POSITIVE_INFINITY : result.json.length;
}
