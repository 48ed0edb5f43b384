import type { ListeningConnection } from "../database/ListeningConnection.ts";
import type { AddedMessage } from "./AddedMessage.ts";
import type { Cursor, Page } from "./ChatFeed.ts";

/** Where a new subscription is to start. */
export interface Opening {
  chatId: string;
  viewerId: string;
  /** After this message of the chat, when there is one… */
  afterId: string | undefined;
  /** …else after what was committed before this moment… */
  horizon: string | undefined;
}

export interface OpeningResult {
  mayRead: boolean;
  /** The subscription starts after this number; undefined when `afterId` is not a message of the chat. */
  start: number | undefined;
}

/**
 * A moment: all that was committed later has a transaction id that is not below this one (pg_snapshot_xmin). So have a few
 * transactions that were committed earlier: those that ended while an older one was still under way.
 */
export type Horizon = string;

const openText = `
select may_read, start_number, (select pg_notify($5, $6))
  from app_private.open_message_streams($1, $2, $3, $4) order by place`;

/**
 * Opens many subscriptions with one statement. When this resolves, the notifications of all messages up to the starts
 * returned have arrived.
 */
export async function openStreams(
  connection: ListeningConnection,
  openings: readonly Opening[],
): Promise<OpeningResult[]> {
  const values = [
    openings.map(({ chatId }) => chatId),
    openings.map(({ viewerId }) => viewerId),
    openings.map(({ afterId }) => afterId),
    openings.map(({ horizon }) => horizon),
  ];
  const rows = await connection.askAndHear<{ may_read: boolean; start_number: string | null }>((channel, payload) => ({
    name: "open-message-streams",
    text: openText,
    values: [...values, channel, payload],
  }));
  return rows.map(({ may_read, start_number }) => ({
    mayRead: may_read,
    start: start_number === null ? undefined : Number(start_number),
  }));
}

/** `left join`: a read without cursors answers the horizon too. */
const readText = `
select pg_snapshot_xmin(pg_current_snapshot()) as horizon, page.*
  from (select) as heartbeat
  left join app_private.read_message_streams($1, $2, $3, $4, $5) as page on true
 order by place`;

interface ReadRow {
  horizon: Horizon;
  message_ids: string[] | null;
  numbers: string[] | null;
  reached: string | null;
  refused_ids: string[] | null;
}

/** Reads on from many cursors with one statement, so as of one moment. The pages are in the order of the cursors. */
export async function readStreams(
  connection: ListeningConnection,
  cursors: readonly Cursor[],
  pageSize: number,
): Promise<{ horizon: Horizon; pages: Page[] }> {
  const viewerPlaces: number[] = [];
  const viewerIds: string[] = [];
  for (const [index, { subscribers }] of cursors.entries()) {
    for (const viewerId of new Set(subscribers.map((subscriber) => subscriber.viewerId))) {
      viewerPlaces.push(index + 1);
      viewerIds.push(viewerId);
    }
  }
  const rows = await connection.ask<ReadRow>({
    name: "read-message-streams",
    text: readText,
    values: [
      cursors.map(({ feed }) => feed.chatId),
      cursors.map(({ after }) => after),
      viewerPlaces,
      viewerIds,
      pageSize,
    ],
  });
  const horizon = rows[0]?.horizon as Horizon;
  const shared = new Map<string, AddedMessage>();
  const pages = cursors.map(({ feed }, index) => toPage(rows[index] as ReadRow, feed.chatId, pageSize, shared));
  return { horizon, pages };
}

function toPage(row: ReadRow, chatId: string, pageSize: number, shared: Map<string, AddedMessage>): Page {
  const messages = (row.message_ids ?? []).map((messageId, index) => {
    const message = shared.get(messageId) ?? Object.freeze({ messageId, chatId, number: Number(row.numbers?.[index]) });
    shared.set(messageId, message);
    return message;
  });
  return {
    messages,
    reached: row.reached === null ? undefined : Number(row.reached),
    isComplete: messages.length < pageSize,
    refusedViewerIds: new Set(row.refused_ids),
  };
}
