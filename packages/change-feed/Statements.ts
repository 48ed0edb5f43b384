import type pg from "pg";
import type { Change, Feed } from "./Feed.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { writePosition } from "./position.ts";
import type { Cursor, EventPage } from "./SubscriberGroup.ts";

/** A subscription starts at most so many events back: a client that has missed more loads the list again, which is less work for both. */
const mostMissed = 10_000;

/** Where a new subscription is to start. */
export interface Opening {
  stream: Feed;
  key: string;
  viewerId: string;
  /** After the event of this position, when there is one… */
  after: string | undefined;
  /** …else after what was committed before this snapshot… */
  snapshot: Snapshot | undefined;
  /** Says to the client that nothing can start after `after`. */
  unknownAfter: string;
}

export interface OpeningResult {
  mayRead: boolean;
  /** The subscription starts after this number; undefined when there is no event of `after`, or too many since. */
  start: number | undefined;
  /** Whether the server is known to have run on since the opening's snapshot. */
  isSameRun: boolean;
}

export interface Snapshot {
  /**
   * All that was committed later has a transaction id that is not below this one (pg_snapshot_xmin). So have a few transactions
   * that were committed earlier: those that ended while an older one was still under way.
   */
  horizon: string;
  /**
   * The run of the server to which the transaction ids belong: a recovery gives some of them again. Null while the run has no
   * event yet.
   */
  runId: string | null;
}

/** The texts of the statements, for the schema that holds the feed. */
function textsFor(schema: string) {
  /** Events of this run have no lower transaction id, and earlier ones have no other. Null while there is no event of this run. */
  const firstXid = "(select first_xid from change_feed.server_runs order by first_xid limit 1)";
  const texts = {
    channel: "select name from change_feed.notification_channels where purpose = 'streams'",
    open: `
with openings as materialized (
  select place::int, run.run_id is not null as is_same_run,
         -- A horizon that is not reached yet is that of another history.
         case when horizon is null or run.run_id is not null and horizon <= pg_snapshot_xmax(pg_current_snapshot()) then horizon else least(horizon, ${firstXid}) end as horizon
    from unnest($5::xid8[], $8::uuid[]) with ordinality as o (horizon, run_id, place)
    left join change_feed.server_runs as run using (run_id)
)
select place, case when ($4::text[])[place] is null or last_number - start_number <= ${mostMissed} then start_number end as start_number, is_same_run, refused.place is null as may_read, (select pg_notify($6, $7))
  from change_feed.open_positions($1, $2, $4, array(select horizon from openings order by place)) as opened
  join openings using (place)
  left join change_feed.refused_subscribers($1, $2, $3, '{}', '{}', '{}') as refused using (place)`,
    /** `left join`: a read without cursors answers the snapshot too. */
    read: `
with pages as materialized (select * from change_feed.read_streams($1, $2, $3, $9, $7)
), rows as materialized (
  select distinct stream_id, key, row_id from pages, unnest(row_ids, versions) as row (row_id, version) where version <> ''
), refused as (
  select array_agg(place) as places, array_agg(row_id) as row_ids
    from change_feed.refused_subscribers($4, $5, $6,
           array(select stream_id from rows), array(select key from rows), array(select row_id from rows))
)
select pg_snapshot_xmin(pg_current_snapshot()) as horizon,
       -- The known row as long as it is there: a run may have several.
       (select run_id from change_feed.server_runs order by run_id is distinct from $8, first_xid limit 1) as run_id,
       refused.places as refused_places, refused.row_ids as refused_row_ids,
       pg_notification_queue_usage() as queue_usage, pages.place, pages.row_ids, pages.numbers, pages.marks, pages.versions, pages.reached,
       pages.reached_mark, pages.is_lost
  from refused
  left join pages on true`,
    refuse: `
select array_agg(place) as refused_places, array_agg(row_id) as refused_row_ids
  from change_feed.refused_subscribers($1, $2, $3, $4, $5, $6)`,
    versions: `
select change_feed.row_version($1, key, row_id) as version
  from unnest($2::text[], $3::text[]) with ordinality as asked (key, row_id, place)
 order by place`,
    find: `
select id, name, kind, key_type as "keyType", id_type as "idType", may_read is null as "asksPolicies",
       number_column is not null as "hasNumbers"
  from change_feed.stream_sources join change_feed.stream_names using (id)
 where relation = (
         -- to_regclass() wants usage of the schema, which the login of the reader need not have.
         select pg_class.oid from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where array[nspname::text, relname::text] = parse_ident($1))
   and key_column = $2 and kind = $3`,
    try: "select change_feed.try_stream($1)",
    noteLost: "select change_feed.note_lost_history($1, $2, $3)",
  };
  for (const [name, text] of Object.entries(texts)) {
    texts[name as keyof typeof texts] = text.replaceAll("change_feed.", `${schema}.`);
  }
  return texts;
}

interface OpenedRow {
  place: number;
  start_number: string | null;
  is_same_run: boolean;
  may_read: boolean;
}

interface ReadRow extends RefusedRow {
  horizon: string;
  run_id: string | null;
  queue_usage: number;
  place: number;
  row_ids: string[] | null;
  numbers: string[] | null;
  marks: (number | null)[] | null;
  versions: (string | null)[] | null;
  reached: string | null;
  reached_mark: number | null;
  is_lost: boolean;
}

interface RefusedRow {
  refused_places: number[] | null;
  /** Null where the viewer may not read the key. */
  refused_row_ids: (string | null)[] | null;
}

/** Bounds the time of a statement: so many viewers are asked about, where policies are asked for each of them, and otherwise. */
const viewersPerStatement = { byPolicies: 250, byFunction: 5_000 };

interface Viewer {
  cursor: Cursor;
  viewerId: string;
}

/** The rows that viewers of one cursor may not read. */
class Refusals {
  readonly refusedViewerIds = new Set<string>();
  readonly hiddenRows = new Map<string, Set<string>>();

  add(viewerId: string, hiddenRow: string | null): void {
    if (hiddenRow === null) this.refusedViewerIds.add(viewerId);
    else this.hiddenRows.set(viewerId, (this.hiddenRows.get(viewerId) ?? new Set()).add(hiddenRow));
  }
}

/** Splits what asks about viewers of a stream into parts that fit into one statement each. */
export function inParts<Item>(items: readonly Item[], streamOf: (item: Item) => Feed): Item[][] {
  const parts: Item[][] = [];
  let room = 0;
  for (const item of items) {
    room -= 1 / viewersPerStatement[streamOf(item).asksPolicies ? "byPolicies" : "byFunction"];
    if (room < 0) {
      parts.push([]);
      room += 1;
    }
    parts.at(-1)?.push(item);
  }
  return parts;
}

function viewerValues(viewers: readonly Viewer[]): unknown[] {
  return [
    viewers.map(({ cursor }) => cursor.group.stream.id),
    viewers.map(({ cursor }) => cursor.group.key),
    viewers.map(({ viewerId }) => viewerId || null),
  ];
}

function toPage(
  row: ReadRow | undefined,
  { group: { stream, key }, after }: Cursor,
  pageSize: number,
  shared: Map<string, Change>,
): Omit<EventPage, "refusedViewerIds" | "hiddenRows"> {
  const rowIds = row?.row_ids ?? [];
  const reached = row?.reached ? Number(row.reached) : undefined;
  const events = rowIds.flatMap((rowId, index) => {
    const [number, version] = [Number(row?.numbers?.[index]), row?.versions?.[index] ?? null];
    const mark = row?.marks?.[index] ?? undefined;
    // The row is gone, or has another key.
    if (version === null) return [];
    const name = `${stream.id}:${key}:${number}`;
    const position = writePosition(stream, { rowId, number, ...(mark === undefined ? null : { mark }) });
    const marks = { ...(mark === undefined ? null : { mark }), ...(version ? { version } : null) };
    const event = shared.get(name) ?? Object.freeze({ rowId, key, number, position, ...marks });
    shared.set(name, event);
    return [event];
  });
  return {
    events,
    reached,
    reachedMark: row?.reached_mark ?? undefined,
    isLost: row?.is_lost ?? false,
    isComplete: rowIds.length < pageSize,
    // Events have no gaps. Rows with numbers of their own may be deleted.
    hasGap: !stream.hasNumbers && after !== undefined && Number(row?.numbers?.[0] ?? (reached ?? 0) + 1) > after + 1,
  };
}

/** The statements of a feed reader. */
export class Statements {
  readonly #schema: string;
  readonly #texts: ReturnType<typeof textsFor>;

  /** @param schema that holds the feed */
  constructor(schema: string) {
    this.#schema = schema;
    this.#texts = textsFor(schema);
  }

  async findFeed(
    connection: ListeningConnection,
    table: string,
    column: string,
    kind: string,
  ): Promise<Feed | undefined> {
    const [feed] = await connection.ask<Feed & pg.QueryResultRow>({
      text: this.#texts.find,
      values: [table, column, kind],
    });
    return feed;
  }

  /** Reads the name of the channel that the triggers notify. The name is random: any login may listen to a channel it knows. */
  async readChannel(connection: ListeningConnection): Promise<string> {
    const [row] = await connection.ask<{ name: string }>({ text: this.#texts.channel });
    if (!row) throw new Error(`${this.#schema}.notification_channels names no channel for streams`);
    return row.name;
  }

  /**
   * Opens many subscriptions with one statement. When this resolves, the notifications of all events up to the starts
   * returned have arrived at the listener.
   */
  async openStreams(
    connection: ListeningConnection,
    listener: ListeningConnection,
    openings: readonly Opening[],
  ): Promise<OpeningResult[]> {
    const values = [
      openings.map(({ stream }) => stream.id),
      openings.map(({ key }) => key),
      openings.map(({ viewerId }) => viewerId || null),
      openings.map(({ after }) => after),
      openings.map(({ snapshot }) => snapshot?.horizon),
    ];
    const runIds = openings.map(({ snapshot }) => snapshot?.runId);
    const rows = await listener.withBarrier(({ channel, payload }) =>
      connection.ask<OpenedRow>({
        name: "open-streams",
        text: this.#texts.open,
        values: [...values, channel, payload, runIds],
      }),
    );
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return openings.map((_, index) => {
      const row = byPlace.get(index + 1);
      // There is no row for a stream that is gone.
      return {
        mayRead: row?.may_read ?? false,
        start: row?.start_number ? Number(row.start_number) : undefined,
        isSameRun: row?.is_same_run ?? false,
      };
    });
  }

  /**
   * Reads on from many cursors with one statement, so as of one snapshot; only the rights of a large crowd take more. The pages
   * are in the order of the cursors.
   *
   * @param runId the run of the server as of the last result
   */
  async readStreams(
    connection: ListeningConnection,
    cursors: readonly Cursor[],
    pageSize: number,
    runId: string | null,
  ): Promise<{ snapshot: Snapshot; queueUsage: number; pages: EventPage[] }> {
    const viewers: Viewer[] = cursors.flatMap((cursor) =>
      [...new Set(cursor.subscribers.map(({ viewerId }) => viewerId))].map((viewerId) => ({ cursor, viewerId })),
    );
    const [first = [], ...more] = inParts(viewers, ({ cursor }) => cursor.group.stream);
    const rows = await connection.ask<ReadRow>({
      name: "read-streams",
      text: this.#texts.read,
      values: [
        cursors.map(({ group }) => group.stream.id),
        cursors.map(({ group }) => group.key),
        cursors.map(({ after }) => after),
        ...viewerValues(first),
        pageSize,
        runId,
        cursors.map(({ mark }) => mark),
      ],
    });
    const refusals = new Map(cursors.map((cursor) => [cursor, new Refusals()]));
    const refuse = (row: RefusedRow | undefined, viewers: readonly Viewer[]) => {
      for (const [index, place] of (row?.refused_places ?? []).entries()) {
        const { cursor, viewerId } = viewers[place - 1] as Viewer;
        refusals.get(cursor)?.add(viewerId, row?.refused_row_ids?.[index] ?? null);
      }
    };
    refuse(rows[0], first);
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    const shared = new Map<string, Change>();
    const pages = cursors.map((cursor, index) => toPage(byPlace.get(index + 1), cursor, pageSize, shared));
    const changed = [...shared.entries()].filter(([, { version }]) => version !== undefined);
    const changedRows = [
      changed.map(([name]) => Number.parseInt(name, 10)),
      changed.map(([, { key }]) => key),
      changed.map(([, { rowId }]) => rowId),
    ];
    // Later than the events, so nobody is given what they may not read any more.
    for (const viewers of more) {
      const values = [...viewerValues(viewers), ...changedRows];
      const [row] = await connection.ask<RefusedRow>({ name: "refuse-viewers", text: this.#texts.refuse, values });
      refuse(row, viewers);
    }
    return {
      snapshot: { horizon: rows[0]?.horizon as string, runId: rows[0]?.run_id ?? null },
      queueUsage: rows[0]?.queue_usage ?? 0,
      pages: pages.map((page, index) => ({ ...page, ...(refusals.get(cursors[index] as Cursor) as Refusals) })),
    };
  }

  /** Whether the row of each event is still as it was when the event was read. */
  async checkUnchanged(
    connection: ListeningConnection,
    { id }: Feed,
    checks: readonly { event: Change }[],
  ): Promise<boolean[]> {
    const rows = await connection.ask<{ version: string | null }>({
      name: "stream-row-versions",
      text: this.#texts.versions,
      values: [id, checks.map(({ event }) => event.key), checks.map(({ event }) => event.rowId)],
    });
    return checks.map(({ event }, index) => rows[index]?.version === event.version);
  }

  /** Notes, for the operator, that followers of a key had events up to that number which are no longer in the history. */
  async noteLostHistory(connection: ListeningConnection, { id }: Feed, key: string, number: number): Promise<void> {
    await connection.ask({ name: "note-lost-history", text: this.#texts.noteLost, values: [id, key, number] });
  }

  /**
   * Runs, once, the statements that a stream causes.
   *
   * @throws their error
   */
  async tryStream(connection: ListeningConnection, { id }: Feed): Promise<void> {
    await connection.ask({ name: "try-stream", text: this.#texts.try, values: [id] });
  }
}
