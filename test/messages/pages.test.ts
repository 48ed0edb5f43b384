import { useService } from "../support/service.ts";

/* A chat's messages, page by page, forwards and backwards. */
const service = useService();

beforeAll(() =>
  service.database.query(`
    insert into app_public.chats (title) values ('Of two');
    insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2);
    insert into app_public.messages (chat_id, sender_id, text) select 1, 1, n::text from generate_series(1, 6) as n`),
);

const texts = (rows: any) => rows.map(({ text }: { text: string }) => text).join("");

test("the connection pages backwards", async () => {
  const page = `nodes { text } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }`;
  const last = await service.ask(`{ chat(id: 1) { messagesConnection(last: 2) { ${page} } } }`, { as: "ada" });
  const { nodes, pageInfo } = (last.data as any).chat.messagesConnection;
  expect(texts(nodes)).toBe("21");
  const query = `query ($before: Cursor) { chat(id: 1) { messagesConnection(last: 2, before: $before) { ${page} } } }`;
  const variables = { before: pageInfo.startCursor };
  const { data, errors } = await service.ask(query, { variables, as: "ada" });
  expect([texts((data as any).chat.messagesConnection?.nodes ?? []), errors]).toEqual(["43", undefined]);
});

test.each([
  ["compiled", "chat(id: 1) {"],
  ["the engine’s", `chat: node(nodeId: "${btoa('["Chat","1"]')}") { ... on Chat {`],
])("a cursor proves the page on its other side: %s", async (_way, chat) => {
  const read = async (args: string, cursor?: string) => {
    const page = `messagesConnection(${args}) { pageInfo { startCursor endCursor hasNextPage hasPreviousPage } }`;
    const query = `query ($cursor: Cursor) { ${chat} ${page} ${chat.includes("node") ? "}" : ""} } }`;
    const { data } = await service.ask(query, { variables: { cursor }, as: "ada" });
    return (data as any).chat.messagesConnection.pageInfo;
  };
  const first = await read("first: 2, after: $cursor");
  expect(first).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  expect(await read("first: 2, after: $cursor", first.endCursor)).toMatchObject({
    hasNextPage: true,
    hasPreviousPage: true,
  });
  const last = await read("last: 2, before: $cursor");
  expect(last).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const before = await read("last: 4, before: $cursor", last.startCursor);
  expect(before).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
});

test("the members of a chat are listed", async () => {
  const { data } = await service.ask(
    "{ chatsConnection { nodes { membersConnection { nodes { name } totalCount } } } }",
    {
      as: "ada",
    },
  );
  const membersConnection = { nodes: [{ name: "Ada" }, { name: "Bob" }], totalCount: 2 };
  expect(data).toEqual({ chatsConnection: { nodes: [{ membersConnection }] } });
});
