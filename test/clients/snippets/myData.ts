import type { Session } from "./session.ts";

type Row = Record<string, unknown> & { id: string };
interface Answer {
  owner: { list: { nodes: Row[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
}

/** What the signed-in user has written, as lines of NDJSON: the profile, posts with their drafts, comments and messages. */
export async function* myData(session: Session): AsyncGenerator<string> {
  const { me } = await session.ask<{ me: Row }>("query Me { me { id name email bio avatar createdAt } }");
  const line = (kind: string, row: Row) => `${JSON.stringify({ kind, ...row })}\n`;
  yield line("profile", me);
  // Ten texts of 100,000 characters are less than a response may have.
  const posts =
    "title content excerpt status createdAt(format: DATE_TIME) publishedAt(format: DATE_TIME) tags { name }";
  for await (const row of allOf(
    session,
    `me { list: postsConnection(first: 10, after: $after) { nodes { id ${posts} }`,
  )) {
    yield line("post", row);
  }
  const comments = "postId text createdAt(format: DATE_TIME)";
  for await (const row of allOf(
    session,
    `me { list: commentsConnection(first: 100, after: $after) { nodes { id ${comments} }`,
  )) {
    yield line("comment", row);
  }
  for await (const chat of allOf(session, "me { list: chatsConnection(first: 100, after: $after) { nodes { id }")) {
    const messages = `chat(id: "${chat.id}") { list: messagesConnection(first: 100, after: $after) {
      nodes { id chatId senderId text createdAt(format: DATE_TIME) }`;
    // Those of others are theirs.
    for await (const row of allOf(session, messages)) if (row["senderId"] === me.id) yield line("message", row);
  }
}

async function* allOf(session: Session, list: string): AsyncGenerator<Row> {
  const query = `query Mine($after: Cursor) { owner: ${list} pageInfo { hasNextPage endCursor } } } }`;
  let after: string | null = null;
  do {
    const { owner }: Answer = await session.ask(query, { after });
    yield* owner.list.nodes;
    after = owner.list.pageInfo.hasNextPage ? owner.list.pageInfo.endCursor : null;
  } while (after !== null);
}
