import { Environment, type GraphQLResponse, Network, RecordSource, Store } from "relay-runtime";
import type { Session } from "./session.ts";

export function relayEnvironment(url: string, session: Session): Environment {
  return new Environment({
    network: Network.create(async ({ text }, variables) => {
      const token = await session.accessToken();
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({ query: text, variables }),
      });
      return (await response.json()) as GraphQLResponse;
    }),
    store: new Store(new RecordSource()),
    // The default is `id`, which a user and a post can have in common.
    getDataID: ({ nodeId }) => nodeId,
  });
}
