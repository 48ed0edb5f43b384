import { setTimeout as delay } from "node:timers/promises";
import type { FormattedExecutionResult } from "graphql";
import { Refusal } from "../errors.ts";
import type { AddedMessage } from "../messages/AddedMessage.ts";
import type { MessageStream } from "../messages/MessageStream.ts";
import type { EndReason, MessageSubscription } from "../messages/MessageSubscription.ts";
import { retryDelay } from "../support/retryDelay.ts";
import type { EventQuery } from "./eventQuery.ts";

/** A subscription under way. */
export interface Subscription {
  /** One result an event, in order. Ends when the subscription does, and never throws. */
  results: AsyncIterable<FormattedExecutionResult>;
  /** Why it ended by itself; undefined while it goes on, and after stop(). */
  readonly endReason: EndReason | undefined;
  stop(): Promise<unknown>;
}

/** How long to try to answer an event while the database is away. After that the client is sent away, to resume later. */
const answerWithinMs = 30_000;

type Execute = (variables: Record<string, unknown>) => Promise<FormattedExecutionResult>;
type Results = Map<string, Promise<FormattedExecutionResult>>;

/** What has been worked out for an event already, by what was asked of it. Gone with the event. */
const shared = new WeakMap<AddedMessage, Map<EventQuery, Results>>();

/**
 * Opens a subscription to the rows of one stream.
 *
 * Each event is answered as the subscriber's own query. Where the answer is the same for all who may see the row
 * (isSameForAll), it is worked out once, as the first of them; the message stream has checked each of them in the
 * statement that found the row, so nobody is told what they could not have read.
 * An event that the database is away for is asked for again: an error in its place would be a message lost.
 *
 * @param given the arguments of the subscription's field
 * @throws Refusal as MessageStream.subscribe() does; UNAUTHORIZED for nobody
 */
export async function openSubscription(
  messages: MessageStream,
  query: EventQuery,
  given: Record<string, unknown>,
  variables: Record<string, unknown>,
  viewerId: string,
  execute: Execute,
): Promise<Subscription> {
  if (viewerId === "") throw new Refusal("UNAUTHORIZED", "Sign in to listen.");
  const { after } = given;
  const events = await messages.subscribe({
    chatId: String(given[query.extension.streamArgument]),
    viewerId,
    ...(typeof after === "string" ? { after } : null),
  });
  const variablesKey = JSON.stringify(query.variables.map((name) => variables[name]));
  const own = (event: AddedMessage) => execute({ ...variables, [query.idVariable]: event.messageId });

  async function answerOnce(event: AddedMessage): Promise<FormattedExecutionResult> {
    if (!query.isShared) return own(event);
    const result = await remembered(event, query, variablesKey, () => own(event));
    // What went wrong for another need not go wrong for this one.
    return result.errors && !isUnavailable(result) ? own(event) : result;
  }

  const ended = new AbortController();
  void events.ended.then(() => ended.abort());
  let isGivenUp = false;

  /** Undefined when the subscription has ended before there was an answer. */
  async function answer(event: AddedMessage): Promise<FormattedExecutionResult | undefined> {
    const giveUpAt = performance.now() + answerWithinMs;
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
    const isGone =
      result.data?.[responseName] === null &&
      result.errors?.some(({ extensions }) => extensions?.["code"] === "NOT_FOUND");
    // Deleted since, or out of the viewer's sight: as if it had never been.
    if (!isGone) yield result;
  }
}

/** Whether there was no answer to be had, which is no reason to leave a message out. */
function isUnavailable({ errors }: FormattedExecutionResult): boolean {
  return errors?.some(({ extensions }) => extensions?.["code"] === "SERVICE_UNAVAILABLE") ?? false;
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
    // Whoever tries again does so for all.
    if (isUnavailable(result)) results.delete(variablesKey);
    return result;
  });
  results.set(variablesKey, made);
  return made;
}
