import type { Client } from "graphql-ws";
import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  Store,
  type SubscribeFunction,
} from "relay-runtime";
import type { Session } from "./session.ts";

/** @param sockets from socketClient(), below */
export function relayEnvironment(url: string, session: Session, sockets: Client): Environment {
  const ask: FetchFunction = async ({ text }, variables) => {
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
  };
  // graphql-ws sends the variables again when it reconnects, and continues after the last event.
  const listen: SubscribeFunction = ({ text }, given) =>
    Observable.create((sink) => {
      const variables: Record<string, unknown> = { ...given };
      return sockets.subscribe<Record<string, { id?: string } | null>, { after?: string }>(
        { query: text ?? "", variables },
        {
          next: (result) => {
            const [event] = Object.values(result.data ?? {});
            variables["after"] = result.extensions?.after ?? event?.id ?? variables["after"];
            sink.next(result as GraphQLResponse);
          },
          error: (error) => sink.error(error as Error),
          complete: () => sink.complete(),
        },
      );
    });
  return new Environment({
    network: Network.create(ask, listen),
    store: new Store(new RecordSource()),
    // The default is `id`, which a user and a post can have in common.
    getDataID: ({ nodeId }) => nodeId,
  });
}
