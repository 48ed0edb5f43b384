import { setTimeout as delay } from "node:timers/promises";
import type { FormattedExecutionResult } from "graphql";
import { hasCode, unauthorized } from "../errors/ApiError.ts";
import type { AddedMessage } from "../messages/AddedMessage.ts";
import type { MessageStream } from "../messages/MessageStream.ts";
import type { EndReason, MessageSubscription } from "../messages/MessageSubscription.ts";
import { retryDelay } from "../support/retryDelay.ts";
import type { EventQuery } from "./eventQuery.ts";

/** An open subscription. */
export interface Subscription {
  /** One result for each event, in order. Ends with the subscription, and never throws. */
  results: AsyncIterable<FormattedExecutionResult>;
  /** Why the service ended it; undefined while it is open, and after stop(). */
  readonly endReason: EndReason | undefined;
  stop(): Promise<unknown>;
}

/** How long to retry an event while the database is unavailable. After that the client is disconnected, to resume later. */
const retryForMs = 30_000;

type Execute = (variables: Record<string, unknown>) => Promise<FormattedExecutionResult>;
type Results = Map<string, Promise<FormattedExecutionResult>>;

/** Answers that are computed once for an event, by query. They are garbage-collected with the event. */
const shared = new WeakMap<AddedMessage, Map<EventQuery, Results>>();

/**
 * Opens a subscription to the rows of one stream.
 *
 * Each event is answered as the subscriber's own query. If the answer is the same for all viewers of the row
 * (isSameForAll), it is computed once, as the first of them. The message stream has checked every viewer's right in the
 * statement that found the row, so nobody receives what they could not read.
 * An event is retried while the database is unavailable: an error in its place would be a lost message.
 *
 * @param given the arguments of the subscription's field
 * @throws UNAUTHORIZED for an anonymous viewer; the errors of MessageStream.subscribe()
 */
export async function openSubscription(
  messages: MessageStream,
  query: EventQuery,
  given: Record<string, unknown>,
  variables: Record<string, unknown>,
  viewerId: string,
  execute: Execute,
): Promise<Subscription> {
  if (viewerId === "") throw unauthorized("Sign in to listen.");
  const { after } = given;
  const events = await messages.subscribe({
    chatId: String(given[query.extension.streamArgument]),
    viewerId,
    ...(typeof after === "string" ? { after } : null),
  });
  // A missing variable is not null: only null overrides a default.
  const variablesKey = JSON.stringify(query.variables.map((name) => [Object.hasOwn(variables, name), variables[name]]));
  const own = (event: AddedMessage) => execute({ ...variables, [query.idVariable]: event.messageId });

  async function answerOnce(event: AddedMessage): Promise<FormattedExecutionResult> {
    if (!query.isSameForAll) return own(event);
    const result = await remembered(event, query, variablesKey, () => own(event));
    // An error of another subscriber's query may not occur for this one.
    return result.errors && !isUnavailable(result) ? own(event) : result;
  }

  const ended = new AbortController();
  void events.ended.then(() => ended.abort());
  let isGivenUp = false;

  /** Undefined when the subscription ended before there was an answer. */
  async function answer(event: AddedMessage): Promise<FormattedExecutionResult | undefined> {
    const giveUpAt = performance.now() + retryForMs;
    for (let attempt = 1; !ended.signal.aborted; attempt++) {
      const result = await answerOnce(event);
      if (!isUnavailable(result)) return result;
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
  events: MessageSubscription,
  { responseName }: EventQuery,
  answer: (event: AddedMessage) => Promise<FormattedExecutionResult | undefined>,
): AsyncGenerator<FormattedExecutionResult> {
  for await (const event of events) {
    const result = await answer(event);
    if (!result) return;
    const isGone = result.data?.[responseName] === null && result.errors?.some((error) => hasCode(error, "NOT_FOUND"));
    // Deleted in the meantime, or no longer visible: skip the event.
    if (!isGone) yield result;
  }
}

/** Whether the database was unavailable. The event must be retried. */
function isUnavailable({ errors }: FormattedExecutionResult): boolean {
  return errors?.some((error) => hasCode(error, "SERVICE_UNAVAILABLE")) ?? false;
}

function remembered(
  event: AddedMessage,
  query: EventQuery,
  variablesKey: string,
  work: () => Promise<FormattedExecutionResult>,
): Promise<FormattedExecutionResult> {
  const byQuery = shared.get(event) ?? new Map<EventQuery, Results>();
  shared.set(event, byQuery);
  const results = byQuery.get(query) ?? (new Map() as Results);
  byQuery.set(query, results);
  const known = results.get(variablesKey);
  if (known) return known;
  const made = work().then((result) => {
    // The next attempt is shared again.
    if (isUnavailable(result)) results.delete(variablesKey);
    return result;
  });
  results.set(variablesKey, made);
  return made;
}
