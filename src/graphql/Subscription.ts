import type { FormattedExecutionResult } from "graphql";
import { Refusal } from "../errors.ts";
import type { AddedMessage } from "../messages/AddedMessage.ts";
import type { MessageStream } from "../messages/MessageStream.ts";
import type { EndReason, MessageSubscription } from "../messages/MessageSubscription.ts";
import type { EventQuery } from "./eventQuery.ts";

/** A subscription under way. */
export interface Subscription {
  /** One result an event, in order. Ends when the subscription does, and never throws. */
  results: AsyncIterable<FormattedExecutionResult>;
  /** Why it ended by itself; undefined while it goes on, and after stop(). */
  readonly endReason: EndReason | undefined;
  stop(): Promise<unknown>;
}

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

  async function answer(event: AddedMessage): Promise<FormattedExecutionResult> {
    if (!query.isShared) return own(event);
    const result = await remembered(event, query, variablesKey, () => own(event));
    // What went wrong for another need not go wrong for this one.
    return result.errors ? own(event) : result;
  }

  return {
    results: resultsOf(events, query, answer),
    get endReason() {
      return events.reason;
    },
    stop: () => events.return(),
  };
}

async function* resultsOf(
  events: MessageSubscription,
  { responseName }: EventQuery,
  answer: (event: AddedMessage) => Promise<FormattedExecutionResult>,
): AsyncGenerator<FormattedExecutionResult> {
  for await (const event of events) {
    const result = await answer(event);
    const isGone =
      result.data?.[responseName] === null &&
      result.errors?.some(({ extensions }) => extensions?.["code"] === "NOT_FOUND");
    // Deleted since, or out of the viewer's sight: as if it had never been.
    if (!isGone) yield result;
  }
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
  const known = results.get(variablesKey) ?? work();
  results.set(variablesKey, known);
  return known;
}
