import { ByteBudget } from "pg-caller-pool";
import type { Change } from "postgraphile-change-feed";
import { type CompiledStatement, eventVariables, mayHaveNull } from "postgraphile-compiled-preset/compiled";
import type { RequestCaller } from "../database/requestAccess.ts";
import type { Held } from "../memory/ByteLedger.ts";
import { heapPerByteRead } from "../memory/heap.ts";
import type { EventQuery } from "./eventQuery.ts";
import { bytesOf } from "./results.ts";
import { runStatements } from "./runStatements.ts";
import type { ServedSchema } from "./schema/buildSchema.ts";

/** Events of one statement, at most. */
const pageSize = 100;

/** A subscription that has several events to execute. */
export interface PageRequest {
  served: ServedSchema;
  query: EventQuery;
  /** The variables as the operation declares them. */
  coerced: Record<string, unknown>;
  caller: RequestCaller;
  /** For the results of a page, until they are taken, or the owner drops the page at its end. */
  hold(): Held;
  /** Called with each page that is made for this subscription. */
  made(page: EventPage): void;
  /** Whether the row of an event is as it was when the event was read. */
  isUnchanged(event: Change): Promise<boolean>;
}

/** The result of one event: the bytes of the response, or null where the viewer may not see the row, or it is gone. */
export interface PagedResult {
  content: Buffer | null;
  isUnchanged: boolean;
}

/** The results of events that are executed together. Each is taken once. */
export class EventPage {
  readonly #results: Map<Change, PagedResult>;
  readonly #held: Held;

  constructor(results: Map<Change, PagedResult>, held: Held) {
    this.#results = results;
    this.#held = held;
  }

  take(event: Change): PagedResult | undefined {
    const result = this.#results.get(event);
    this.#results.delete(event);
    if (this.#results.size === 0) this.drop();
    return result;
  }

  /** Idempotent. What is left is executed again, where somebody still needs it. */
  drop(): void {
    this.#results.clear();
    this.#held.release();
  }
}

/**
 * Executes the events that wait for a subscription in one statement for all: whoever is behind is not executed one by one. A page is shared as
 * its results are. What it cannot have, such as an error, is executed alone.
 */
export class EventPages {
  readonly #pages = new WeakMap<EventQuery, WeakMap<Change, Map<string, Promise<EventPage>>>>();

  /**
   * @param key under which subscribers share results
   * @param waiting the events that come after this one
   * @returns undefined where the event has to be executed alone
   */
  async take(
    event: Change,
    waiting: readonly Change[],
    key: string,
    request: PageRequest,
  ): Promise<PagedResult | undefined> {
    const byEvent = this.#pages.get(request.query) ?? new WeakMap();
    this.#pages.set(request.query, byEvent);
    const known: Promise<EventPage> | undefined = byEvent.get(event)?.get(key);
    const isNew = (one: Change) => !byEvent.get(one)?.has(key);
    const events = known ? [] : [event, ...waiting.slice(0, pageSize - 1).filter(isNew)];
    if (!known && events.length < 2) return undefined;
    const page = known ?? executePage(events, request);
    for (const one of events) byEvent.set(one, (byEvent.get(one) ?? new Map()).set(key, page));
    byEvent.get(event)?.delete(key);
    return (await page).take(event);
  }
}

/** Never rejects: what is missing in the result is executed alone, and says why. */
async function executePage(events: readonly Change[], request: PageRequest): Promise<EventPage> {
  const held = request.hold();
  const page = new EventPage(await resultsOf(events, request, held), held);
  request.made(page);
  return page;
}

async function resultsOf(
  events: readonly Change[],
  { served, query, coerced, caller, isUnchanged }: PageRequest,
  held: Held,
): Promise<Map<Change, PagedResult>> {
  const { document, operation } = query.prepared;
  const statements = served.compiled?.find(document, operation, coerced);
  if (!statements) return new Map();
  const budget = new ByteBudget(served.limits.responseBytes, (taken) => held.atLeast(taken * heapPerByteRead));
  try {
    const variables = { ...coerced, ...eventVariables(events) };
    // No variable of this function, which waits again, has the text.
    const contents = await runStatements(served.databaseAccess, statements, variables, { ...caller, budget }).then(
      (data) => contentsOf(data, events, statements),
    );
    held.set(contents.reduce((sum, content) => sum + (content?.byteLength ?? 0), 0));
    // Asked for together, so in one statement.
    const areUnchanged = await Promise.all(events.map((event) => (query.isSameForAll ? isUnchanged(event) : false)));
    const results = new Map<Change, PagedResult>();
    for (const [index, event] of events.entries()) {
      const content = contents[index];
      if (content !== undefined) results.set(event, { content, isUnchanged: areUnchanged[index] ?? false });
    }
    return results;
  } catch {
    held.release();
    return new Map();
  }
}

/** The responses, from a list of the texts of `data`. Undefined for one that may have errors. */
function contentsOf(
  data: string,
  events: readonly Change[],
  statements: readonly CompiledStatement[],
): (Buffer | null | undefined)[] {
  const texts: (string | null)[] = JSON.parse(data);
  return events.map(({ position }, index) => {
    const text = texts[index] ?? null;
    if (text === null) return null;
    return mayHaveNull(text, statements) ? undefined : bytesOf({ result: {}, text }, { after: position });
  });
}
