import jwt from "@fastify/jwt";
import Fastify, { type FastifyRequest } from "fastify";
import mercurius from "mercurius";
import { asUser, type RequestDatabase, unprotected } from "./request.ts";
import { groupsOf, rowsOf, statements, typeDefs } from "./schema.ts";
import { announce, openPool, secret } from "./serve.ts";

/* Mercurius with its JIT and its loaders, as its documentation recommends. */
const pool = openPool();
const app = Fastify();
if (secret) await app.register(jwt, { secret, verify: { algorithms: ["HS256"], requiredClaims: ["exp", "sub"] } });

const author = async (queries: { obj: { author_id: string } }[], { rows }: RequestDatabase) => {
  const ids = queries.map(({ obj }) => obj.author_id);
  return rowsOf(ids, await rows(statements.users, [[...new Set(ids)]]));
};

await app.register(mercurius as never, {
  schema: typeDefs,
  jit: 1,
  context: async (request: FastifyRequest) =>
    secret ? asUser(pool, (await request.jwtVerify<{ sub: string }>()).sub) : unprotected(pool),
  resolvers: {
    Query: {
      feed: (_: unknown, { limit }: { limit: number }, { rows }: RequestDatabase) => rows(statements.feed, [limit]),
      post: async (_: unknown, { id }: { id: string }, { rows }: RequestDatabase) =>
        (await rows(statements.post, [id]))[0] ?? null,
      posts: (_: unknown, { limit, offset }: { limit: number; offset: number }, { rows }: RequestDatabase) =>
        rows(statements.posts, [limit, offset]),
      postsCount: async (_: unknown, _arguments: unknown, { rows }: RequestDatabase) =>
        (await rows(statements.count, []))[0].count,
    },
  },
  loaders: {
    Post: {
      author,
      async tags(queries: { obj: { id: string } }[], { rows }: RequestDatabase) {
        const ids = queries.map(({ obj }) => obj.id);
        return groupsOf(ids, await rows(statements.tags, [ids]), (row: { post_id: string }) => row.post_id);
      },
      async comments(queries: { obj: { id: string }; params: { limit: number } }[], { rows }: RequestDatabase) {
        const ids = queries.map(({ obj }) => obj.id);
        const found = await rows(statements.comments, [ids, queries[0]?.params.limit]);
        return groupsOf(ids, found, (row: { post_id: string }) => row.post_id);
      },
    },
    Comment: { author },
  },
});
app.graphql.addHook("onResolution", (_, context) => (context as unknown as RequestDatabase).end());
announce(`${await app.listen({ port: 0, host: "127.0.0.1" })}/graphql`);
