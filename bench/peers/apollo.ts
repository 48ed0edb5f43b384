import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { asUser, unprotected } from "./request.ts";
import { type Loaders, makeLoaders, resolvers } from "./resolvers.ts";
import { typeDefs } from "./schema.ts";
import { announce, openPool, secret } from "./serve.ts";
import { verifyUser } from "./token.ts";

/* Apollo Server with DataLoader. */
const pool = openPool();
const server = new ApolloServer<Loaders>({
  typeDefs,
  resolvers,
  plugins: [{ requestDidStart: async () => ({ willSendResponse: ({ contextValue }) => contextValue.end() }) }],
});
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: "127.0.0.1" },
  context: async ({ req }) =>
    makeLoaders(secret ? asUser(pool, await verifyUser(req.headers.authorization)) : unprotected(pool)),
});
announce(url);
