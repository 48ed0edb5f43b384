import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";

/* The argument of a subscription is accepted under the former name of its column as well. */
const service = useService();

beforeAll(async () => {
  await service.database.query(`
    create table app_public.shelves (id bigint primary key);
    create table app_public.notes (id bigint primary key, shelf_id bigint not null references app_public.shelves);
    create index on app_public.notes (shelf_id);
    comment on table app_public.notes is '@subscription noteAdded shelf_id';
    comment on column app_public.notes.shelf_id is '@formerly rack_id';
    grant select on app_public.shelves, app_public.notes to api_anonymous, api_member;
    insert into app_public.shelves values (7);
    select change_feed.stream('app_public.notes', 'shelf_id')`);
  expect(await service.app.rebuild()).toBe(true);
});

async function subscribe(query: string): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init" });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload: { query, variables: { id: "7" } } });
  return socket;
}

test.each([
  ["the current name", "shelfId"],
  ["the former name", "rackId"],
])("%s", async (_title, name) => {
  const socket = await subscribe(`subscription ($id: ID!) { noteAdded(${name}: $id) { shelfId } }`);
  await untilListening(1, service.app);
  await service.database.query("insert into app_public.notes select coalesce(max(id), 0) + 1, 7 from app_public.notes");
  expect((await socket.messages.next()).payload).toEqual({ data: { noteAdded: { shelfId: "7" } } });
  socket.destroy();
  await untilListening(0, service.app);
});

test.each([
  ["both", "($id: ID!) { noteAdded(shelfId: $id, rackId: $id) { id } }", { path: ["rackId"], code: "GIVEN_TWICE" }],
  ["neither", "{ noteAdded { id } }", { path: ["shelfId"], code: "REQUIRED" }],
])("%s: refused", async (_title, rest, fault) => {
  const socket = await subscribe(`subscription ${rest}`);
  expect(await socket.messages.next()).toMatchObject({
    type: "error",
    payload: [{ extensions: { code: "VALIDATION_ERROR", validationErrors: [fault] } }],
  });
  socket.destroy();
});

test("the schema says which one to use", async () => {
  const query = `{ __type(name: "Subscription") { fields { name args(includeDeprecated: true) { name deprecationReason } } } }`;
  const { data } = await service.ask(query);
  expect(data.__type.fields.find(({ name }: { name: string }) => name === "noteAdded").args).toEqual([
    { name: "shelfId", deprecationReason: null },
    { name: "after", deprecationReason: null },
    { name: "rackId", deprecationReason: "Use shelfId." },
  ]);
});
