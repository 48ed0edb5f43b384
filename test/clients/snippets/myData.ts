import type { Session } from "./session.ts";

type Row = Record<string, unknown> & { id: string };
interface Answer {
  owner: { list: { nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
}

// Ten texts of 100,000 characters are less than a response may have.
const posts = `query MyPosts($after: Cursor) { owner: me { list: postsConnection(first: 10, after: $after) {
  nodes { id title content status createdAt(format: DATE_TIME) publishedAt(format: DATE_TIME) tags { name } }
  pageInfo { hasNextPage endCursor }
} } }`;
const comments = `query MyComments($after: Cursor) { owner: me { list: commentsConnection(first: 100, after: $after) {
  nodes { id postId text createdAt(format: DATE_TIME) }
  pageInfo { hasNextPage endCursor }
} } }`;
const chats = `query MyChats($after: Cursor) { owner: me { list: chatsConnection(first: 100, after: $after) {
  nodes { id }
  pageInfo { hasNextPage endCursor }
} } }`;
const messages = `query Messages($id: ID!, $after: Cursor) { owner: chat(id: $id) { list: messagesConnection(first: 100, after: $after) {
  nodes { id chatId senderId text createdAt(format: DATE_TIME) }
  pageInfo { hasNextPage endCursor }
} } }`;

/** What the signed-in user has written, as lines of NDJSON: the profile, posts with their drafts, comments and messages. */
export async function* myData(session: Session): AsyncGenerator<string> {
  const { me } = await session.ask<{ me: Row }>(`query MyProfile { me { id name email bio avatar createdAt } }`);
  const line = (kind: string, row: Row) => `${JSON.stringify({ kind, ...row })}\n`;
  yield line("profile", me);
  for await (const row of allOf(session, posts)) yield line("post", row);
  for await (const row of allOf(session, comments)) yield line("comment", row);
  for await (const { id } of allOf(session, chats)) {
    // Those of others are theirs.
    for await (const row of allOf(session, messages, { id })) if (row["senderId"] === me.id) yield line("message", row);
  }
}

async function* allOf(session: Session, query: string, variables = {}): AsyncGenerator<Row> {
  let after: string | null = null;
  do {
    const { owner }: Answer = await session.ask(query, { ...variables, after });
    yield* owner.list.nodes;
    after = owner.list.pageInfo.hasNextPage ? owner.list.pageInfo.endCursor : null;
  } while (after !== null);
}
