import { type Person, useService } from "../support/service.ts";

/* The chat screen: chats by latest activity, unread messages, and one direct chat for each two users. */
const service = useService();
const { database } = service;

/** Ada and Bob are members of chat 1 (`Bread`) and chat 2 (`Maps`), the admin only of chat 3 (`Hidden`). */
beforeEach(() =>
  database.query(`
    truncate app_public.chats restart identity cascade;
    insert into app_public.chats (title) values ('Bread'), ('Maps'), ('Hidden');
    insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2), (2, 1), (2, 2), (3, 3)`),
);

/** The data of the answer, or the codes of its errors and of their faults. */
async function ask(as: Person, query: string): Promise<any> {
  const { data, errors } = await service.ask(query, { as });
  return errors?.map(({ extensions }: any) => [extensions.code, ...codesOf(extensions.validationErrors)]) ?? data;
}

const codesOf = (faults: any[] = []) => faults.flatMap(({ field, code }) => [field, code]);
const send = (as: Person, chatId: number, text = "Hello") =>
  ask(as, `mutation { sendMessage(chatId: ${chatId}, text: "${text}") { id } }`).then((data) => data.sendMessage.id);
const markRead = (as: Person, chatId: number, messageId: number | string) =>
  ask(as, `mutation { markChatRead(chatId: ${chatId}, messageId: ${messageId}) { unreadCount } }`);
const titles = async (as: Person) =>
  (await ask(as, "{ me { inboxConnection { nodes { chat { title } } } } }")).me.inboxConnection.nodes.map(
    ({ chat }: any) => chat.title,
  );
const unread = async (as: Person, chatId = 1) =>
  (await ask(as, `{ chat(id: ${chatId}) { unreadCount } }`)).chat.unreadCount;

test("a message moves its chat to the top of every member’s inbox", async () => {
  await send("ada", 1);
  expect([await titles("ada"), await titles("bob")]).toEqual([
    ["Bread", "Maps"],
    ["Bread", "Maps"],
  ]);
  await send("bob", 2);
  expect([await titles("ada"), await titles("bob"), await titles("admin")]).toEqual([
    ["Maps", "Bread"],
    ["Maps", "Bread"],
    ["Hidden"],
  ]);
});

test("the inbox pages by cursor, forwards and backwards", async () => {
  await send("ada", 1);
  const page = "nodes { chatId } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }";
  const first = (await ask("bob", `{ me { inboxConnection(first: 1) { totalCount ${page} } } }`)).me.inboxConnection;
  expect(first).toMatchObject({ totalCount: 2, nodes: [{ chatId: "1" }], pageInfo: { hasNextPage: true } });
  const after = `after: "${first.pageInfo.endCursor}"`;
  const second = (await ask("bob", `{ me { inboxConnection(first: 1, ${after}) { ${page} } } }`)).me.inboxConnection;
  expect(second).toMatchObject({ nodes: [{ chatId: "2" }], pageInfo: { hasNextPage: false } });
  const before = `before: "${second.pageInfo.startCursor}"`;
  const back = (await ask("bob", `{ me { inboxConnection(last: 1, ${before}) { ${page} } } }`)).me.inboxConnection;
  expect(back).toMatchObject({ nodes: [{ chatId: "1" }], pageInfo: { hasPreviousPage: false } });
});

test("each chat has its last message and the time of its last activity", async () => {
  const query =
    "{ chat(id: 1) { lastMessage { text sender { name } createdAt(format: DATE_TIME) } lastActivityAt createdAt } }";
  const { chat: empty } = await ask("ada", query);
  expect(empty).toEqual({ lastMessage: null, lastActivityAt: empty.createdAt, createdAt: empty.createdAt });
  await send("ada", 1, "first");
  await send("bob", 1, "second");
  const { chat } = await ask("ada", query);
  expect(chat.lastMessage).toMatchObject({ text: "second", sender: { name: "Bob" }, createdAt: chat.lastActivityAt });
});

test("messages of others are unread until they are marked as read, or answered", async () => {
  const ids = [await send("bob", 1), await send("bob", 1), await send("bob", 1)];
  expect([await unread("ada"), await unread("bob"), await unread("ada", 2)]).toEqual([3, 0, 0]);
  expect(await markRead("ada", 1, ids[1])).toEqual({ markChatRead: { unreadCount: 1 } });
  // Back to an older message, and twice.
  expect(await markRead("ada", 1, ids[0])).toEqual({ markChatRead: { unreadCount: 1 } });
  expect(await markRead("ada", 1, ids[1])).toEqual({ markChatRead: { unreadCount: 1 } });
  await send("ada", 1);
  expect([await unread("ada"), await unread("bob")]).toEqual([0, 1]);
});

test("a new member has nothing unread, and can read all messages", async () => {
  await send("ada", 1);
  expect(await ask("ada", "mutation { addChatMember(chatId: 1, userId: 3) { id } }")).toEqual({
    addChatMember: { id: "1" },
  });
  expect([await unread("admin"), await titles("admin")]).toEqual([0, ["Bread", "Hidden"]]);
  await send("ada", 1);
  expect(await unread("admin")).toBe(1);
});

test("a member who is added while a message is sent gets it as read, and the chat in its place", async () => {
  const sending = await database.hold(
    "insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Hello')",
  );
  const adding = ask("bob", "mutation { addChatMember(chatId: 1, userId: 3) { id } }");
  await sending.somebodyWaits();
  await sending.commit();
  await adding;
  expect([await unread("admin"), await titles("admin")]).toEqual([0, ["Bread", "Hidden"]]);
});

test("a member who leaves has no inbox entry any more", async () => {
  await ask("ada", "mutation { leaveChat(chatId: 1) { success } }");
  expect(await titles("ada")).toEqual(["Maps"]);
  expect(await database.query("select from app_public.inbox_entries where chat_id = 1")).toHaveLength(1);
});

test("only messages of a chat of one’s own can be marked as read", async () => {
  const [own, hidden] = [await send("bob", 2), await send("admin", 3)];
  expect(await markRead("ada", 1, own)).toEqual([["NOT_FOUND"]]);
  expect(await markRead("ada", 3, hidden)).toEqual([["NOT_FOUND"]]);
  expect(await markRead("ada", 99, hidden)).toEqual([["NOT_FOUND"]]);
  expect(await markRead("ada", 2, 999_999)).toEqual([["NOT_FOUND"]]);
  // An admin sees the chat and is no member.
  expect(await markRead("admin", 2, own)).toEqual([["NOT_FOUND"]]);
  expect(await markRead("nobody", 2, own)).toEqual([["UNAUTHORIZED"]]);
  expect(await unread("ada", 2)).toBe(1);
});

test("nobody sees what another user has read, not even an admin", async () => {
  await send("bob", 1);
  for (const person of ["bob", "admin"] as const) {
    expect(await ask(person, `{ user(id: 1) { inboxConnection { nodes { chatId } totalCount } } }`)).toEqual({
      user: { inboxConnection: { nodes: [], totalCount: 0 } },
    });
    expect(await unread(person)).toBe(0);
  }
  expect(await ask("nobody", `{ user(id: 1) { inboxConnection { nodes { chatId } } } }`)).toEqual([["UNAUTHORIZED"]]);
});

test("what is read is not in the audit trail, and memberships are", async () => {
  await database.query("truncate app_public.audit_trail");
  await markRead("ada", 1, await send("bob", 1));
  await ask("ada", "mutation { addChatMember(chatId: 1, userId: 3) { id } }");
  expect(await database.query("select action, table_name, row_key from app_public.audit_trail")).toEqual([
    { action: "INSERT", table_name: "chat_members", row_key: "1,3" },
  ]);
});

test("a chat with many members moves less often", async () => {
  await database.query(`
    insert into app_public.users (name) select 'Member ' || n from generate_series(1, 98) n;
    insert into app_public.chat_members (chat_id, user_id) select 1, id from app_public.users where name like 'Member %'`);
  const sayAt = (time: string) =>
    database.query(
      `insert into app_public.messages (chat_id, sender_id, text, created_at) values (1, 1, 'Hello', '${time}')`,
    );
  const times = async () =>
    (
      await database.query<{ time: string }>(
        `select distinct to_char(listed_at at time zone 'UTC', 'MI:SS.MS') as time from app_public.inbox_entries where chat_id = 1`,
      )
    ).map(({ time }) => time);
  // A hundred members: once a second.
  const seen: string[][] = [];
  for (const time of ["00:00.000", "00:00.500", "00:00.999", "00:01.000", "00:01.999", "00:02.500"]) {
    await sayAt(`2100-01-01 00:${time}Z`);
    seen.push(await times());
  }
  expect(seen).toEqual([["00:00.000"], ["00:00.000"], ["00:00.000"], ["00:01.000"], ["00:01.000"], ["00:02.500"]]);
  expect(await unread("bob")).toBe(6);
});

test("a message changes no indexed column of its chat", async () => {
  const writing = await database.hold(
    "insert into app_public.messages (chat_id, sender_id, text) select 1, 1, 'Hello' from generate_series(1, 10)",
  );
  const updates = await writing.run(
    `select n_tup_upd::int as "all", n_tup_hot_upd::int as hot from pg_stat_xact_user_tables where relid = 'app_public.chats'::regclass`,
  );
  await writing.release();
  // One for each message, and one because the chat moves.
  expect((updates as { rows: unknown[] }).rows).toEqual([{ all: 11, hot: 11 }]);
});

const openDirect = (as: Person, userId: number) =>
  ask(as, `mutation { openDirectChat(userId: ${userId}) { id isDirect title membersConnection { nodes { name } } } }`);

test("two users have one direct chat, whoever opens it", async () => {
  const { openDirectChat: chat } = await openDirect("ada", 2);
  const membersConnection = { nodes: [{ name: "Ada" }, { name: "Bob" }] };
  expect(chat).toEqual({ id: chat.id, isDirect: true, title: null, membersConnection });
  expect(await openDirect("bob", 1)).toEqual({ openDirectChat: chat });
  expect((await openDirect("ada", 3)).openDirectChat.id).not.toBe(chat.id);
  expect(await ask("ada", "mutation { createChat(memberIds: [2]) { isDirect } }")).toEqual({
    createChat: { isDirect: false },
  });
  expect(await titles("bob")).toHaveLength(4);
});

test("two users who open their direct chat at the same time get the same one", async () => {
  const creating = await database.hold(`
    insert into app_public.chats (is_direct) values (true);
    insert into app_private.direct_chats (low_user_id, high_user_id, chat_id) select 1, 2, max(id) from app_public.chats`);
  const opening = Promise.all([openDirect("ada", 2), openDirect("bob", 1)]);
  await creating.somebodyWaits();
  await creating.commit();
  const [adas, bobs] = await opening;
  expect(adas).toEqual(bobs);
  expect(adas.openDirectChat.membersConnection.nodes).toHaveLength(2);
  expect(await database.query("select from app_public.chats where is_direct")).toHaveLength(1);
});

test("a direct chat is neither with oneself nor with a user who does not exist", async () => {
  expect(await openDirect("ada", 1)).toEqual([["VALIDATION_ERROR", "userId", "ONESELF"]]);
  expect(await openDirect("ada", 999)).toEqual([["NOT_FOUND"]]);
  expect(await openDirect("nobody", 1)).toEqual([["UNAUTHORIZED"]]);
  expect(await database.query("select from app_public.chats where is_direct")).toEqual([]);
});

test("nobody can be added to a direct chat, and others do not learn that it exists", async () => {
  const { id } = (await openDirect("admin", 2)).openDirectChat;
  const add = (as: Person, userId: number) =>
    ask(as, `mutation { addChatMember(chatId: ${id}, userId: ${userId}) { id } }`);
  expect(await add("bob", 1)).toEqual([["VALIDATION_ERROR", "chatId", "DIRECT_CHAT"]]);
  expect(await add("admin", 1)).toEqual([["VALIDATION_ERROR", "chatId", "DIRECT_CHAT"]]);
  expect(await add("ada", 1)).toEqual([["NOT_FOUND"]]);
  expect(await ask("ada", `{ chat(id: ${id}) { id } }`)).toEqual([["NOT_FOUND"]]);
  expect(await titles("ada")).toEqual(["Maps", "Bread"]);
});

test("a member who has left a direct chat is in it again when one of the two opens it", async () => {
  const { id } = (await openDirect("ada", 2)).openDirectChat;
  await ask("ada", `mutation { leaveChat(chatId: ${id}) { success } }`);
  expect(await ask("ada", `{ chat(id: ${id}) { id } }`)).toEqual([["NOT_FOUND"]]);
  expect((await openDirect("bob", 1)).openDirectChat).toMatchObject({
    id,
    membersConnection: { nodes: [{ name: "Ada" }, { name: "Bob" }] },
  });
});

test("the list of chats is complete and in its order for members and admins", async () => {
  const list = `{ all: chatsConnection { nodes { id } } chatsConnection(first: 2) { totalCount nodes { id } pageInfo { hasNextPage } } }`;
  expect(await ask("ada", list)).toEqual({
    all: { nodes: [{ id: "1" }, { id: "2" }] },
    chatsConnection: { totalCount: 2, nodes: [{ id: "1" }, { id: "2" }], pageInfo: { hasNextPage: false } },
  });
  expect(await ask("admin", list)).toEqual({
    all: { nodes: [{ id: "1" }, { id: "2" }, { id: "3" }] },
    chatsConnection: { totalCount: 3, nodes: [{ id: "1" }, { id: "2" }], pageInfo: { hasNextPage: true } },
  });
  expect(await ask("nobody", "{ chatsConnection { nodes { id } } }")).toEqual([["UNAUTHORIZED"]]);
});
