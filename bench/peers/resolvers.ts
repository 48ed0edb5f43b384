import DataLoader from "dataloader";
import type { RequestDatabase } from "./request.ts";
import { groupsOf, rowsOf, statements } from "./schema.ts";

/** A loader a request for each relation, as DataLoader's documentation recommends. */
export function makeLoaders({ rows, end }: RequestDatabase) {
  return {
    rows,
    end,
    user: new DataLoader<string, any>(async (ids) => rowsOf(ids, await rows(statements.users, [ids]))),
    tags: new DataLoader<string, any[]>(async (ids) =>
      groupsOf(ids, await rows(statements.tags, [ids]), (row) => row.post_id),
    ),
    comments: new DataLoader<{ id: string; limit: number }, any[], string>(
      async (keys) => {
        const ids = keys.map(({ id }) => id);
        return groupsOf(ids, await rows(statements.comments, [ids, keys[0]?.limit]), (row) => row.post_id);
      },
      { cacheKeyFn: ({ id, limit }) => `${id} ${limit}` },
    ),
  };
}

export type Loaders = ReturnType<typeof makeLoaders>;

export const resolvers = {
  Query: {
    feed: (_: unknown, { limit }: any, { rows }: Loaders) => rows(statements.feed, [limit]),
    post: async (_: unknown, { id }: any, { rows }: Loaders) => (await rows(statements.post, [id]))[0] ?? null,
    posts: (_: unknown, { limit, offset }: any, { rows }: Loaders) => rows(statements.posts, [limit, offset]),
    postsCount: async (_: unknown, _arguments: any, { rows }: Loaders) => (await rows(statements.count, []))[0].count,
  },
  Post: {
    author: (post: any, _: unknown, { user }: Loaders) => user.load(post.author_id),
    tags: (post: any, _: unknown, { tags }: Loaders) => tags.load(post.id),
    comments: (post: any, { limit }: any, { comments }: Loaders) => comments.load({ id: post.id, limit }),
  },
  Comment: { author: (comment: any, _: unknown, { user }: Loaders) => user.load(comment.author_id) },
};
