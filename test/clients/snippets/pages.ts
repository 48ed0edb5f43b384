import type { Session } from "./session.ts";

interface Page {
  postsConnection: {
    nodes: { id: string; title: string }[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
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

/** The same, from the end: the nodes of each page are in the list's order. */
export async function* pagesFromTheEnd(session: Session, last = 20) {
  const query = `query PostsFromTheEnd($last: Int!, $before: Cursor) {
    postsConnection(last: $last, before: $before) { nodes { id title } pageInfo { hasPreviousPage startCursor } }
  }`;
  let before: string | null = null;
  for (;;) {
    const { postsConnection }: Page = await session.ask(query, { last, before });
    yield postsConnection.nodes;
    if (!postsConnection.pageInfo.hasPreviousPage) return;
    before = postsConnection.pageInfo.startCursor;
  }
}
