import type { AddedMessage } from "./AddedMessage.ts";
import type { Cursor, Page } from "./ChatFeed.ts";
import type { ListeningConnection } from "./ListeningConnection.ts";
import { channel } from "./notification.ts";

/** Where a new subscription is to start. */
export interface Opening {
  chatId: string;
  viewerId: string;
  /** After this message of the chat… */
  afterId: string | undefined;
  /** …else after what was committed before this moment… */
  horizon: string | undefined;
}

/** The answer to an opening. */
export interface Opened {
  mayRead: boolean;
  /** Everything up to this number is from before; undefined when the message named is not of that chat. */
  start: number | undefined;
}

/**
 * A moment: whatever was committed later has a transaction id that is not below this one (pg_snapshot_xmin). A few older
 * ones have, too: those that were under way when the oldest of their time had not ended.
 */
export type Horizon = string;

const openText = `
select may_read, start_number, (select pg_notify('${channel}', $5))
  from app_private.open_message_streams($1, $2, $3, $4) order by place`;

/**
 * Opens many subscriptions with one statement. When this resolves, a notification has come of every message up to the
 * starts that are answered.
 */
export async function openStreams(connection: ListeningConnection, openings: readonly Opening[]): Promise<Opened[]> {
  const values = [
    openings.map(({ chatId }) => chatId),
    openings.map(({ viewerId }) => viewerId),
    openings.map(({ afterId }) => afterId),
    openings.map(({ horizon }) => horizon),
  ];
  const rows = await connection.askAndHear<{ may_read: boolean; start_number: string | null }>((payload) => ({
    name: "open-message-streams",
    text: openText,
    values: [...values, payload],
  }));
  return rows.map(({ may_read, start_number }) => ({
    mayRead: may_read,
    start: start_number === null ? undefined : Number(start_number),
  }));
}

/** `left join`: the horizon is answered when there is nothing to read, too, which makes this the heartbeat. */
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

/** Reads on from many places in many chats with one statement, so as of one moment; the pages come in the cursors' order. */
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
