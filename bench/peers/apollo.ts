import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { type Loaders, makeLoaders, resolvers } from "./resolvers.ts";
import { typeDefs } from "./schema.ts";
import { announce, openPool } from "./serve.ts";

/* Apollo Server with DataLoader. */
const pool = openPool();
const server = new ApolloServer<Loaders>({ typeDefs, resolvers });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: "127.0.0.1" },
  context: async () => makeLoaders(pool),
});
announce(url);
