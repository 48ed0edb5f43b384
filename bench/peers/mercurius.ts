import Fastify from "fastify";
import mercurius from "mercurius";
import { groupsOf, rowsOf, statements, typeDefs } from "./schema.ts";
import { announce, openPool } from "./serve.ts";

/* Mercurius with its JIT and its loaders, as its documentation recommends. */
const pool = openPool();
const rows = async (statement: { name: string; text: string }, values: unknown[]) =>
  (await pool.query({ ...statement, values })).rows;
const app = Fastify();

const author = async (queries: { obj: { author_id: string } }[]) => {
  const ids = queries.map(({ obj }) => obj.author_id);
  return rowsOf(ids, await rows(statements.users, [[...new Set(ids)]]));
};

await app.register(mercurius as never, {
  schema: typeDefs,
  jit: 1,
  resolvers: {
    Query: {
      feed: (_: unknown, { limit }: { limit: number }) => rows(statements.feed, [limit]),
      post: async (_: unknown, { id }: { id: string }) => (await rows(statements.post, [id]))[0] ?? null,
      posts: (_: unknown, { limit, offset }: { limit: number; offset: number }) =>
        rows(statements.posts, [limit, offset]),
      postsCount: async () => (await rows(statements.count, []))[0].count,
    },
  },
  loaders: {
    Post: {
      author,
      async tags(queries: { obj: { id: string } }[]) {
        const ids = queries.map(({ obj }) => obj.id);
        return groupsOf(ids, await rows(statements.tags, [ids]), (row: { post_id: string }) => row.post_id);
      },
      async comments(queries: { obj: { id: string }; params: { limit: number } }[]) {
        const ids = queries.map(({ obj }) => obj.id);
        const found = await rows(statements.comments, [ids, queries[0]?.params.limit]);
        return groupsOf(ids, found, (row: { post_id: string }) => row.post_id);
      },
    },
    Comment: { author },
  },
});
announce(`${await app.listen({ port: 0, host: "127.0.0.1" })}/graphql`);
