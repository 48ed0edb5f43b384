/** The message types of a GraphQL sub-protocol. Their meaning is the same in both protocols. */
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

/** The protocol of `graphql-ws`, Apollo's GraphQLWsLink, urql and most other clients. */
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

/** The best protocol that a client offers, in whatever order. */
export function chooseProtocol(offered: ReadonlySet<string>): Protocol | undefined {
  return [transport, legacy].find(({ name }) => offered.has(name));
}
