import type { Session } from "./session.ts";

interface Page {
  postsConnection: {
    nodes: { id: string; title: string }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

/** All posts, a page at a time. */
export async function* allPosts(session: Session, first = 20) {
  const query = `query Posts($first: Int!, $after: Cursor) {
    postsConnection(first: $first, after: $after) { nodes { id title } pageInfo { hasNextPage endCursor } }
  }`;
  let after: string | null = null;
  for (;;) {
    const { postsConnection }: Page = await session.ask(query, { first, after });
    yield* postsConnection.nodes;
    if (!postsConnection.pageInfo.hasNextPage) return;
    after = postsConnection.pageInfo.endCursor;
  }
}

interface Above {
  feedConnection: {
    nodes: { id: string; title: string }[];
    pageInfo: { startCursor: string | null; hasPreviousPage: boolean };
  };
}

/** “3 new posts”: those right above the first post that is shown. @param before the `startCursor` of its page */
export async function newPosts(session: Session, before: string) {
  const query = `query NewPosts($before: Cursor!) {
    feedConnection(last: 20, before: $before) { nodes { id title } pageInfo { startCursor hasPreviousPage } }
  }`;
  const { feedConnection } = await session.ask<Above>(query, { before });
  const { startCursor, hasPreviousPage } = feedConnection.pageInfo;
  return { posts: feedConnection.nodes, hasMore: hasPreviousPage, before: startCursor ?? before };
}
