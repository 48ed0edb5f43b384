import { RawSocket } from "../support/RawSocket.ts";
import { readEvents } from "../support/readEvents.ts";
import { useService } from "../support/service.ts";

/*
 * The root field of a subscription is there whatever the variables are: `@skip` and `@include` on it, or on a fragment around it, are a
 * validation error, as the GraphQL specification has it.
 */
const service = useService();
const field = `messageAdded(chatId: "1") { text }`;
const subscriptions: Record<string, string> = {
  "a variable": `subscription S($i: Boolean!) { messageAdded(chatId: "1") @include(if: $i) { text } }`,
  "a variable with a default": `subscription S($i: Boolean! = true) { messageAdded(chatId: "1") @skip(if: $i) { text } }`,
  "a variable that is not declared": `subscription S { messageAdded(chatId: "1") @include(if: $j) { text } }`,
  true: `subscription S { messageAdded(chatId: "1") @include(if: true) { text } }`,
  false: `subscription S { messageAdded(chatId: "1") @skip(if: false) { text } }`,
  "no argument": `subscription S { messageAdded(chatId: "1") @skip { text } }`,
  "an argument of another type": `subscription S { messageAdded(chatId: "1") @skip(if: "yes") { text } }`,
  "both directives": `subscription S($i: Boolean!) { messageAdded(chatId: "1") @skip(if: $i) @include(if: $i) { text } }`,
  "an alias": `subscription S($i: Boolean!) { added: messageAdded(chatId: "1") @include(if: $i) { text } }`,
  "one of two fields": `subscription S($i: Boolean!) { meUpdated { id } messageAdded(chatId: "1") @skip(if: $i) { text } }`,
  "one of two literal fields": `subscription S { meUpdated @skip(if: true) { id } ${field} }`,
  __typename: `subscription S($i: Boolean!) { __typename @skip(if: $i) ${field} }`,
  "__typename alone": `subscription S { __typename @skip(if: true) }`,
  "an inline fragment": `subscription S($i: Boolean!) { ... @include(if: $i) { ${field} } }`,
  "a typed inline fragment": `subscription S($i: Boolean!) { ... on Subscription @include(if: $i) { ${field} } }`,
  "a spread": `subscription S($i: Boolean!) { ...F @skip(if: $i) } fragment F on Subscription { ${field} }`,
  "a field in a fragment": `subscription S($i: Boolean!) { ...F }
    fragment F on Subscription { messageAdded(chatId: "1") @include(if: $i) { text } }`,
  "a spread in a fragment in a fragment": `subscription S($i: Boolean!) { ... { ...F } }
    fragment F on Subscription { ... on Subscription { ...G @skip(if: $i) } } fragment G on Subscription { ${field} }`,
  "a fragment that spreads itself": `subscription S($i: Boolean!) { ...F } fragment F on Subscription { ...F @skip(if: $i) ${field} }`,
  "a fragment of another type": `subscription S($i: Boolean!) { ${field} ... on Query @skip(if: $i) { postsCount } }`,
  "a fragment that is missing": `subscription S($i: Boolean!) { ${field} ...F @skip(if: $i) }`,
  "another operation of the document": `query Q { postsCount } subscription S($i: Boolean!) { messageAdded(chatId: "1") @skip(if: $i) { text } }`,
};
const refusal = expect.objectContaining({
  message: 'Subscription "S" must not use `@skip` or `@include` directives in the top level selection.',
  locations: expect.any(Array),
  extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
});

test.each(Object.entries(subscriptions))("%s is refused over WebSocket and as an event stream", async (_, query) => {
  const payload = { query, variables: { i: true }, operationName: query.startsWith("query") ? "Q" : "S" };
  const headers = await service.headersOf("ada");
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init", payload: { Authorization: headers["authorization"] } });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload });
  const message = await socket.messages.next();
  expect(message).toEqual({ type: "error", id: "1", payload: expect.arrayContaining([refusal]) });
  socket.destroy();

  const stream = await readEvents(service.url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "text/event-stream; charset=utf-8" },
    body: JSON.stringify(payload),
  });
  expect(stream.response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const result = JSON.parse((await stream.events.next()).replace(/^next /, ""));
  expect(result).toEqual({ errors: message.payload });
  expect(await stream.ended).toBe(true);
});

test("an anonymous subscription is refused, too, and one operation of the document beside it", async () => {
  const query = `subscription { ${field} ...@skip(if: false) { ${field} } } query Q { postsCount }`;
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, operationName: "Q" }),
  });
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  expect(errors.map(({ message }) => message)).toContain(
    "Anonymous Subscription must not use `@skip` or `@include` directives in the top level selection.",
  );
});

test.each([
  ["several fields", `subscription S { ${field} meUpdated { id } }`, "must select only one top level field."],
  ["__typename", "subscription S { __typename }", "must not select an introspection top level field."],
])("%s are refused as before", async (_, query, expected) => {
  const { errors } = await service.ask(query);
  expect(errors?.map(({ message }) => message)).toEqual([`Subscription "S" ${expected}`]);
});
