/** What the messages of a GraphQL sub-protocol are called. What they mean is the same. */
export interface Protocol {
  name: string;
  /** From the client: an operation to run, and the end of one. */
  subscribe: string;
  unsubscribe: string;
  /** From the service: a result. */
  next: string;
  /** Whether errors come as a list, and whether pings are messages. */
  isModern: boolean;
}

/** The protocol of `graphql-ws`, Apollo's GraphQLWsLink, urql and most others. */
const transport: Protocol = {
  name: "graphql-transport-ws",
  subscribe: "subscribe",
  unsubscribe: "complete",
  next: "next",
  isModern: true,
};

/** The older one, of `subscriptions-transport-ws` and Apollo's WebSocketLink. */
const legacy: Protocol = {
  name: "graphql-ws",
  subscribe: "start",
  unsubscribe: "stop",
  next: "data",
  isModern: false,
};

/** The best one that a client offers, in whatever order it names them. */
export function chooseProtocol(offered: ReadonlySet<string>): Protocol | undefined {
  return [transport, legacy].find(({ name }) => offered.has(name));
}
