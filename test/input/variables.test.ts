import { RawSocket } from "../support/RawSocket.ts";
import { untilListening, useService } from "../support/service.ts";

/* Variables with unusual names, and variables that are missing, null or of another JSON type. */
const service = useService();
beforeAll(async () => {
  await service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
    insert into app_public.messages (chat_id, sender_id, text) select 1, 1, 'Message ' || n from generate_series(1, 3) n`);
});

describe.each(["toString", "constructor", "__proto__", "hasOwnProperty"])("a variable named %s", (name) => {
  test("is missing when it is not given", async () => {
    const create = `mutation ($${name}: String) { createChat(memberIds: [2], title: $${name}) { title } }`;
    expect(await service.ask(create, { as: "ada" })).toEqual({ data: { createChat: { title: null } } });
  });

  test("has the value that is given", async () => {
    const query = `query ($${name}: ID!) { user(id: $${name}) { name } }`;
    const variables = JSON.parse(`{"${name}": "2"}`);
    expect(await service.ask(query, { variables })).toEqual({ data: { user: { name: "Bob" } } });
    expect((await service.ask(query)).errors).toMatchObject([{ extensions: { code: "VALIDATION_ERROR" } }]);
  });
});

async function subscribe(query: string, variables: object): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload: { query, variables } });
  return socket;
}

describe("messageAdded(after:)", () => {
  const since = "subscription ($after: ID) { messageAdded(chatId: 1, after: $after) { id } }";

  test.each([
    ["a JSON number", 1],
    ["a string", "1"],
  ])("accepts %s", async (_, after) => {
    const socket = await subscribe(since, { after });
    for (const id of ["2", "3"]) {
      expect(await socket.messages.next()).toMatchObject({ payload: { data: { messageAdded: { id } } } });
    }
    socket.destroy();
  });

  test.each([99, "99", "abc", ""])("refuses %j, which names no message", async (after) => {
    const socket = await subscribe(since, { after });
    expect(await socket.messages.next()).toMatchObject({
      type: "error",
      payload: [{ extensions: { code: "VALIDATION_ERROR", validationErrors: [{ field: "after" }] } }],
    });
    socket.destroy();
  });
});

test("subscribers that share an answer may pass null or leave the variable out", async () => {
  const query = `subscription ($format: TimestampFormat = DATE) {
    messageAdded(chatId: 1) { createdAt(format: $format) }
  }`;
  const [absent, none] = [await subscribe(query, {}), await subscribe(query, { format: null })];
  await untilListening(2, service.app);
  await service.database.query("insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Now')");
  const createdAt = async (socket: RawSocket) =>
    ((await socket.messages.next()) as any).payload.data.messageAdded.createdAt;
  // Only a missing variable has its default.
  expect(await createdAt(absent)).not.toMatch(/T/);
  expect(await createdAt(none)).toMatch(/T/);
  for (const socket of [absent, none]) socket.destroy();
});
