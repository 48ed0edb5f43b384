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
