import pg from "pg";
import { pino } from "pino";
import { publishDuePosts } from "../../src/maintenance/publishDuePosts.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { type Person, people, untilListening, useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* The chat screen: chats by latest activity, unread messages, and one direct chat for each two users. */
const service = useService();
const { database } = service;

/** Ada and Bob are members of chat 1 (`Bread`) and chat 2 (`Maps`), the admin only of chat 3 (`Hidden`). */
beforeEach(() =>
  database.query(`
    delete from app_public.chats;
    select setval(pg_get_serial_sequence('app_public.chats', 'id'), 1, false);
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

test("a chat moves at once for a while, then once a second; one with more than a hundred members less often", async () => {
  await database.query(`insert into app_public.users (name) select 'Member ' || n from generate_series(1, 198) n`);
  /** For how many messages in a row the chat of so many members moves at once, and when it may move again. */
  const movesOf = async (members: number) => {
    const [{ id = "" } = {}] = await database.query<{ id: string }>(
      "insert into app_public.chats default values returning id",
    );
    await database.query(
      `insert into app_public.chat_members (chat_id, user_id) select ${id}, id from (select id from app_public.users order by id desc limit ${members}) as users`,
    );
    return database.query(`
      with messages as materialized (
        insert into app_public.messages (chat_id, text) select ${id}, 'Hello' from generate_series(1, 20) returning number, relist_at)
      select count(distinct relist_at)::int as moves, round(extract(epoch from max(relist_at) - clock_timestamp()) * 10)::int as tenths from messages`);
  };
  expect([await movesOf(2), await movesOf(10), await movesOf(100), await movesOf(200)]).toEqual(
    [
      [10, 10],
      [2, 10],
      [1, 10],
      [1, 20],
    ].map(([moves, tenths]) => [{ moves, tenths }]),
  );
});

test("a chat that a message has not moved, because it has just been moved, is moved by the service", async () => {
  await send("ada", 1);
  await database.query("update app_public.messages set relist_at = now() + interval '1 hour'");
  await send("bob", 2);
  await send("bob", 1);
  expect([await titles("ada"), await unread("ada")]).toEqual([["Maps", "Bread"], 1]);
  await database.query("update app_private.inbox_changes set due_at = '-infinity'");
  await database.query("select app_hidden.record_inbox_changes()");
  expect([await titles("ada"), await titles("bob")]).toEqual([
    ["Bread", "Maps"],
    ["Bread", "Maps"],
  ]);
});

test("messages of one statement have the next numbers of their chats, in the order of the rows, and are read by their senders", async () => {
  const state = (chat: string) =>
    database.query<{ number: string; text: string; sender_id: string | null }>(
      `select number, text, sender_id from app_public.messages where chat_id = ${chat} order by number`,
    );
  const [{ id = "" } = {}] = await database.query<{ id: string }>(
    `insert into app_public.chats (title) values ('Bulk') returning id`,
  );
  await database.query(
    `insert into app_public.chat_members (chat_id, user_id) values (${id}, 1), (${id}, 2), (1, 1), (1, 2) on conflict do nothing`,
  );
  const [before, bulk] = [await state("1"), "insert into app_public.messages (chat_id, sender_id, text)"];
  await database.query(
    `${bulk} values (${id}, 1, 'a'), (1, 2, 'b'), (${id}, 2, 'c'), (${id}, 1, 'd'), (1, 1, 'e'), (${id}, null, 'f')`,
  );
  await expect(database.query(`${bulk} values (${id}, 1, 'g'), (${id}, 1, '')`)).rejects.toThrow();
  // The second row has an id that is taken.
  await database.query(
    `insert into app_public.messages (id, chat_id, sender_id, text) overriding system value
     values (default, ${id}, 2, 'h'), ((select min(id) from app_public.messages), ${id}, 2, 'i'), (default, ${id}, 2, 'j') on conflict (id) do nothing`,
  );
  expect((await state(id)).map(({ number, text }) => `${number} ${text}`)).toEqual([
    "1 a",
    "2 c",
    "3 d",
    "4 f",
    "5 h",
    "6 j",
  ]);
  expect((await state("1")).slice(before.length).map(({ text }) => text)).toEqual(["b", "e"]);
  expect(
    await database.query(
      `select user_id::int as user, greatest(last_read_number, app_private.last_sent_number(chat_id, user_id))::int as read, (app_hidden.newest_message(chat_id)).number::int as last
         from app_public.inbox_entries where chat_id = ${id} order by user_id`,
    ),
  ).toEqual([
    { user: 1, read: 3, last: 6 },
    { user: 2, read: 6, last: 6 },
  ]);
});

describe("a message that its sender changes", () => {
  const text = "text editedAt deletedAt";
  const edit = (as: Person, id: string, to: string) =>
    ask(as, `mutation { updateMessage(id: ${id}, text: "${to}") { ${text} } }`);
  const take = (as: Person, id: string) => ask(as, `mutation { deleteMessage(id: ${id}) { ${text} } }`);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

  test("has the time of its last edit, and the same text again is none", async () => {
    const id = await send("ada", 1, "Helo");
    const same = { updateMessage: { text: "Helo", editedAt: null, deletedAt: null } };
    expect(await edit("ada", id, "Helo")).toEqual(same);
    expect(await edit("ada", id, "Hello")).toEqual({
      updateMessage: { text: "Hello", editedAt: time, deletedAt: null },
    });
    const { chat } = await ask("bob", `{ chat(id: 1) { lastMessage { ${text} } unreadCount } }`);
    expect(chat).toEqual({ lastMessage: { text: "Hello", editedAt: time, deletedAt: null }, unreadCount: 1 });
  });

  test("keeps its place when it is deleted, and cannot be edited any more", async () => {
    const [first, second] = [await send("ada", 1, "first"), await send("ada", 1, "second")];
    const { deleteMessage } = await take("ada", first);
    expect(deleteMessage).toEqual({ text: "[erased]", editedAt: null, deletedAt: time });
    expect(await take("ada", first)).toEqual({ deleteMessage });
    expect(await edit("ada", first, "back")).toEqual([["NOT_FOUND"]]);
    expect(
      await ask("bob", "{ chat(id: 1) { unreadCount messagesConnection { totalCount nodes { id text } } } }"),
    ).toEqual({
      chat: {
        unreadCount: 2,
        messagesConnection: {
          totalCount: 2,
          nodes: [
            { id: second, text: "second" },
            { id: first, text: "[erased]" },
          ],
        },
      },
    });
    expect(await markRead("bob", 1, first)).toEqual({ markChatRead: { unreadCount: 1 } });
  });

  test("is changed by its sender alone, as a member", async () => {
    const [id, hidden] = [await send("ada", 1), await send("admin", 3)];
    for (const change of [take, (as: Person, id: string) => edit(as, id, "Hm.")]) {
      expect(await change("bob", id)).toEqual([["UNAUTHORIZED"]]);
      expect(await change("admin", id)).toEqual([["NOT_FOUND"]]);
      expect(await change("nobody", id)).toEqual([["UNAUTHORIZED"]]);
      expect(await change("bob", hidden)).toEqual([["NOT_FOUND"]]);
      expect(await change("ada", "999999")).toEqual([["NOT_FOUND"]]);
    }
    expect(await edit("ada", id, " ")).toEqual([["VALIDATION_ERROR", "text", "BLANK"]]);
    expect(await edit("ada", id, "x".repeat(5001))).toEqual([["VALIDATION_ERROR", "text", "TOO_LONG"]]);
    await ask("ada", "mutation { leaveChat(chatId: 1) { success } }");
    expect([await edit("ada", id, "Hm."), await take("ada", id)]).toEqual([[["NOT_FOUND"]], [["NOT_FOUND"]]]);
  });

  test("can be deleted and not edited in a direct chat where one has blocked the other", async () => {
    const { id: chatId } = (await openDirect("ada", 2)).openDirectChat;
    const id = await send("ada", chatId);
    await ask("bob", "mutation { blockUser(userId: 1) { id } }");
    expect(await edit("ada", id, "Rude")).toEqual([["VALIDATION_ERROR", "id", "BLOCKED"]]);
    expect((await take("ada", id)).deleteMessage.text).toBe("[erased]");
    await ask("bob", "mutation { unblockUser(userId: 1) { id } }");
  });
});

describe("the creator of a chat", () => {
  const rename = (as: Person, id: string, title: string) =>
    ask(as, `mutation { renameChat(id: ${id}, title: "${title}") { title creator { name } } }`);
  const remove = (as: Person, id: string, userId: number) =>
    ask(as, `mutation { removeChatMember(chatId: ${id}, userId: ${userId}) { membersConnection { nodes { name } } } }`);
  const create = async () =>
    (await ask("ada", 'mutation { createChat(memberIds: [2], title: "Boats") { id } }')).createChat.id;

  test("renames it and removes members, as admins may", async () => {
    const id = await create();
    expect(await rename("ada", id, "Ships")).toEqual({ renameChat: { title: "Ships", creator: { name: "Ada" } } });
    expect(await rename("admin", id, "Vessels")).toMatchObject({ renameChat: { title: "Vessels" } });
    expect(await rename("ada", id, "")).toEqual([["VALIDATION_ERROR", "title", "TOO_SHORT"]]);
    const left = { removeChatMember: { membersConnection: { nodes: [{ name: "Ada" }] } } };
    expect([await remove("ada", id, 2), await remove("ada", id, 2)]).toEqual([left, left]);
    expect(await titles("bob")).not.toContain("Vessels");
    expect(await remove("ada", id, 1)).toEqual([["VALIDATION_ERROR", "userId", "ONESELF"]]);
    expect(await remove("ada", id, 999)).toEqual([["NOT_FOUND"]]);
    expect(await remove("admin", id, 1)).toEqual({ removeChatMember: { membersConnection: { nodes: [] } } });
  });

  test("is not any other member, nor one who has left", async () => {
    const id = await create();
    for (const change of [remove, (as: Person, id: string) => rename(as, id, "Mine")]) {
      expect(await change("bob", id, 1)).toEqual([["UNAUTHORIZED"]]);
      expect(await change("nobody", id, 1)).toEqual([["UNAUTHORIZED"]]);
      expect(await change("bob", "3", 3)).toEqual([["NOT_FOUND"]]);
    }
    await ask("ada", `mutation { leaveChat(chatId: ${id}) { success } }`);
    expect([await rename("ada", id, "Mine"), await remove("ada", id, 2)]).toEqual([[["NOT_FOUND"]], [["NOT_FOUND"]]]);
  });

  test("of a direct chat changes neither its title nor its members", async () => {
    const { id } = (await openDirect("ada", 2)).openDirectChat;
    expect(await rename("ada", id, "Us")).toEqual([["VALIDATION_ERROR", "id", "DIRECT_CHAT"]]);
    expect(await remove("ada", id, 2)).toEqual([["VALIDATION_ERROR", "chatId", "DIRECT_CHAT"]]);
  });
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

describe("one subscription for all chats of the viewer", () => {
  const gone = (id: string) => ({ id, deletedNodeId: btoa(`["Chat","${id}"]`) });
  const sockets: RawSocket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await untilListening(0, service.app);
  });
  beforeEach(tell);

  const changes = `subscription ($after: ID) { inboxEntryChanged(after: $after) { chat { title unreadCount lastMessage { text } } } }`;

  async function follow(as: Person, query: string, variables = {}): Promise<RawSocket> {
    const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    sockets.push(socket);
    socket.say({ type: "connection_init", payload: as === "nobody" ? {} : { authToken: await service.tokenOf(as) } });
    await socket.messages.next();
    socket.say({ type: "subscribe", id: "1", payload: { query, variables } });
    return socket;
  }

  /**
   * Opens a socket for each of them, which all listen when this resolves. They go on from the newest change: without `after`, a subscription
   * may begin with what was committed just before it.
   */
  async function followAll<Everybody extends Exclude<Person, "nobody">[]>(
    ...everybody: Everybody
  ): Promise<{ [Place in keyof Everybody]: RawSocket }> {
    const count = service.app.subscriptions + everybody.length;
    const opened = await Promise.all(everybody.map(async (as) => follow(as, changes, { after: await newest(as) })));
    await untilListening(count, service.app);
    return opened as never;
  }

  async function newest(as: Exclude<Person, "nobody">): Promise<string> {
    const [head] = await database.query<{ number: string; mark: number }>(
      `select number, mark from change_feed.stream_events join change_feed.streams on id = stream_id
        where relation = 'app_public.inbox_entries'::regclass and kind = 'updated' and key = $1 order by number desc limit 1`,
      [people[as]],
    );
    return head ? `${head.number}.${(head.mark >>> 0).toString(36)}` : (undefined as never);
  }

  /** The next results: title, number of unread messages and last text of each chat, as it is when it is read. */
  async function entries({ messages }: RawSocket, count: number): Promise<[string, number, string | undefined][]> {
    return (await messages.take(count)).map(({ payload }) => {
      const { title, unreadCount, lastMessage } = payload.data.inboxEntryChanged.chat;
      return [title, unreadCount, lastMessage?.text];
    });
  }

  /** Records the changes now, as the timer does. */
  async function tell(): Promise<void> {
    await database.query("update app_private.inbox_changes set due_at = '-infinity'");
    let areMoreDue = true;
    while (areMoreDue) {
      const [done] = await database.query("select app_hidden.record_inbox_changes() as are_more_due");
      areMoreDue = done?.["are_more_due"] === true;
    }
  }

  async function sendAndTell(as: Person, chatId: number, text: string): Promise<string> {
    const id = await send(as, chatId, text);
    await tell();
    return id;
  }

  async function createChat(as: Person, title: string, memberId: number): Promise<void> {
    const { createChat } = await ask(
      as,
      `mutation { createChat(memberIds: [${memberId}], title: "${title}") { title } }`,
    );
    expect(createChat).toEqual({ title });
    await tell();
  }

  test("a new chat, a message, what is read on another device and one’s own message arrive, and nothing at others", async () => {
    const [phone, laptop, bob, admin] = await followAll("ada", "ada", "bob", "admin");
    await createChat("bob", "Boats", 1);
    const first = await sendAndTell("bob", 1, "first");
    await sendAndTell("bob", 1, "second");
    await sendAndTell("bob", 2, "elsewhere");
    expect(await markRead("ada", 1, first)).toEqual({ markChatRead: { unreadCount: 1 } });
    await tell();
    await sendAndTell("ada", 2, "answer");
    for (const device of [phone, laptop]) {
      const seen = await entries(device, 6);
      expect(seen.map(([title]) => title)).toEqual(["Boats", "Bread", "Bread", "Maps", "Bread", "Maps"]);
      expect(seen.slice(-2)).toEqual([
        ["Bread", 1, "second"],
        ["Maps", 0, "answer"],
      ]);
    }
    const bobs = await entries(bob, 5);
    expect(bobs.map(([title]) => title)).toEqual(["Boats", "Bread", "Bread", "Maps", "Maps"]);
    await sendAndTell("admin", 3, "to myself");
    expect(await entries(admin, 1)).toEqual([["Hidden", 0, "to myself"]]);
    await database.query("delete from app_public.messages where text = 'second'");
    await tell();
    expect(await entries(phone, 1)).toEqual([["Bread", 0, "first"]]);
  });

  test("each change brings the number of one’s unread chats, so that a badge follows every device", async () => {
    const changed = "subscription ($after: ID) { inboxEntryChanged(after: $after) { user { id unreadChatsCount } } }";
    const device = await follow("ada", changed, { after: await newest("ada") });
    const counts = async (count: number) =>
      (await device.messages.take(count)).map(({ payload }) => payload.data.inboxEntryChanged.user);
    await sendAndTell("bob", 1, "one");
    await sendAndTell("bob", 1, "two");
    const last = await sendAndTell("bob", 2, "three");
    expect((await counts(3)).at(-1)).toEqual({ id: people.ada, unreadChatsCount: 2 });
    await markRead("ada", 2, last);
    await tell();
    expect(await counts(1)).toEqual([{ id: people.ada, unreadChatsCount: 1 }]);
    expect(await ask("bob", "{ me { unreadChatsCount } user(id: 1) { unreadChatsCount } }")).toEqual({
      me: { unreadChatsCount: 0 },
      user: { unreadChatsCount: null },
    });
  });

  test("messages after 0 are all of the chat", async () => {
    const sent = [await send("ada", 1), await send("bob", 1)];
    const all = await follow("ada", `subscription { messageAdded(chatId: "1", after: "0") { id } }`);
    const heard = await all.messages.take(2);
    expect(heard.map(({ payload }) => payload.data.messageAdded.id)).toEqual(sent);
  });

  test("a client that was away receives each change since, once and in order", async () => {
    const [online] = await followAll("ada");
    await sendAndTell("bob", 1, "seen");
    expect(await entries(online, 1)).toEqual([["Bread", 1, "seen"]]);
    const { after } = online.messages.all.at(-1).payload.extensions;
    online.destroy();
    await untilListening(0, service.app);
    await sendAndTell("bob", 2, "missed");
    await sendAndTell("bob", 1, "missed, too");
    await createChat("bob", "Boats", 1);
    const again = await follow("ada", changes, { after });
    expect(await entries(again, 3)).toEqual([
      ["Maps", 1, "missed"],
      ["Bread", 2, "missed, too"],
      ["Boats", 0, undefined],
    ]);
    await ask("bob", "mutation { addChatMember(chatId: 1, userId: 3) { id } }");
    await sendAndTell("bob", 2, "new");
    expect((await entries(again, 2)).toSorted()).toEqual([
      ["Bread", 2, "missed, too"],
      ["Maps", 2, "new"],
    ]);
    const { messages } = await follow("ada", changes, { after: "999999" });
    expect((await messages.next()).payload[0].extensions.code).toBe("POSITION_LOST");
    const anonymous = await follow("nobody", changes);
    expect((await anonymous.messages.next()).payload[0].extensions.code).toBe("UNAUTHORIZED");
  });

  test("a chat that one leaves is told by its id, and a chat that policies hide is not", async () => {
    await database.query(`create policy hide_maps on app_public.inbox_entries as restrictive for select to api_member
      using (chat_id <> 2)`);
    try {
      const [changed] = await followAll("ada");
      const [left, bobs] = [
        await follow("ada", "subscription { chatLeft { id deletedNodeId } }"),
        await follow("bob", "subscription { chatLeft { id deletedNodeId } }"),
      ];
      await untilListening(3, service.app);
      await sendAndTell("bob", 2, "hidden");
      await sendAndTell("bob", 1, "shown");
      expect(await entries(changed, 1)).toEqual([["Bread", 1, "shown"]]);
      await ask("ada", "mutation { leaveChat(chatId: 1) { success } }");
      await tell();
      expect((await left.messages.next()).payload.data).toEqual({ chatLeft: gone("1") });
      await sendAndTell("bob", 1, "not for Ada");
      await database.query("delete from app_public.chat_members where chat_id = 2");
      await tell();
      expect((await left.messages.next()).payload.data).toEqual({ chatLeft: gone("2") });
      expect((await bobs.messages.next()).payload.data).toEqual({ chatLeft: gone("2") });
      await createChat("bob", "Boats", 1);
      expect(await entries(changed, 1)).toEqual([["Boats", 0, undefined]]);
    } finally {
      await database.query("drop policy hide_maps on app_public.inbox_entries");
    }
  });

  test("two windows agree on edits and deletions, and one that was away goes on where it was", async () => {
    const updates = "subscription ($after: ID) { messageUpdated(chatId: 1, after: $after) { id text deletedAt } }";
    const change = (mutation: string) => ask("ada", `mutation { ${mutation} { id } }`);
    const seen = async ({ messages }: RawSocket, count: number) =>
      (await messages.take(count)).map(({ payload }) => payload.data.messageUpdated.text);
    const [first, last] = [await send("ada", 1, "first"), await send("ada", 1, "last")];
    await tell();
    const windows = [await follow("ada", updates), await follow("bob", updates)] as const;
    await untilListening(2, service.app);
    await change(`updateMessage(id: ${first}, text: "first, edited")`);
    await change(`deleteMessage(id: ${last})`);
    // Nothing changes.
    await change(`deleteMessage(id: ${last})`);
    await database.query("update app_public.messages set text = 'by SQL' where id = $1", [first]);
    for (const window of windows) {
      const texts = await seen(window, 3);
      // Each row as it is when it is read.
      expect([texts.slice(1), ["first, edited", "by SQL"].includes(texts[0])]).toEqual([["[erased]", "by SQL"], true]);
    }
    const { after } = windows[0].messages.all.at(-1).payload.extensions;
    windows[0].destroy();
    await untilListening(1, service.app);
    await change(`updateMessage(id: ${first}, text: "missed")`);
    const again = await follow("ada", updates, { after });
    expect(await seen(again, 1)).toEqual(["missed"]);
    const { messages } = await follow("admin", updates.replace("chatId: 1", "chatId: 999"));
    expect((await messages.next()).payload[0].extensions.code).toBe("NOT_FOUND");
  });

  test("a new title, a new last text and the members are told to all, and a removed member is shut out", async () => {
    const { id } = (await ask("ada", 'mutation { createChat(memberIds: [2, 3], title: "Boats") { id } }')).createChat;
    await tell();
    const [ada, bob] = await followAll("ada", "bob");
    const all = async (mutation: string, expected: [string, number, string | undefined]) => {
      await ask("ada", `mutation { ${mutation} { id } }`);
      await tell();
      const [title, , text] = expected;
      expect([await entries(ada, 1), await entries(bob, 1)]).toEqual([[[title, 0, text]], [expected]]);
    };
    await all(`renameChat(id: ${id}, title: "Ships")`, ["Ships", 0, undefined]);
    await all(`sendMessage(chatId: ${id}, text: "Ahoi")`, ["Ships", 1, "Ahoi"]);
    const [{ id: messageId } = { id: "" }] = await database.query<{ id: string }>("select id from app_public.messages");
    await all(`updateMessage(id: ${messageId}, text: "Ahoy")`, ["Ships", 1, "Ahoy"]);
    await all(`deleteMessage(id: ${messageId})`, ["Ships", 1, "[erased]"]);
    await all(`removeChatMember(chatId: ${id}, userId: 3)`, ["Ships", 1, "[erased]"]);
    const left = await follow("bob", "subscription { chatLeft { id deletedNodeId } }");
    const [added, updated] = [
      await follow("bob", `subscription { messageAdded(chatId: ${id}) { id } }`),
      await follow("bob", `subscription { messageUpdated(chatId: ${id}) { id } }`),
    ];
    await untilListening(5, service.app);
    await ask("ada", `mutation { removeChatMember(chatId: ${id}, userId: 2) { id } }`);
    for (const { messages } of [added, updated]) {
      expect((await messages.next()).payload[0].extensions.code).toBe("UNAUTHORIZED");
    }
    await tell();
    expect((await left.messages.next()).payload.data).toEqual({ chatLeft: gone(id) });
    expect(await entries(ada, 1)).toEqual([["Ships", 0, "[erased]"]]);
  });

  test("an open transaction holds up neither messages to another chat nor the timer that tells of them", async () => {
    const [ada] = await followAll("ada");
    const held = await database.hold(`
      with added as (insert into app_public.chat_members (chat_id, user_id) values (3, 1))
      insert into app_public.messages (chat_id, sender_id, text) values (2, 2, 'slow')`);
    await send("bob", 1, "first");
    await send("bob", 1, "second");
    const pool = new pg.Pool({ connectionString: database.apiUrl, max: 1 });
    await database.query("update app_private.inbox_changes set due_at = '-infinity'");
    await publishDuePosts(pool, pino({ level: "silent" }));
    await pool.end();
    // Messages that come fast are told together.
    expect(await entries(ada, 1)).toEqual([["Bread", 2, "second"]]);
    await held.commit();
    await tell();
    expect((await entries(ada, 2)).toSorted()).toEqual([
      ["Hidden", 0, undefined],
      ["Maps", 1, "slow"],
    ]);
    expect(await database.query("select from app_private.inbox_changes")).toEqual([]);
  });

  test("a message that moves no entry, because its chat has just been moved, is told when the chat may move again", async () => {
    const [ada] = await followAll("ada");
    await send("bob", 1, "sooner");
    await tell();
    expect(await entries(ada, 1)).toEqual([["Bread", 1, "sooner"]]);
    await database.query("update app_public.messages set relist_at = now() + interval '1 hour'");
    await send("bob", 1, "later");
    await database.query("select app_hidden.record_inbox_changes()");
    expect(
      await database.query("select due_at > now() + interval '59 min' as waits from app_private.inbox_changes"),
    ).toEqual([{ waits: true }]);
    await tell();
    expect(await entries(ada, 1)).toEqual([["Bread", 2, "later"]]);
  });

  test("the changes of a large import are recorded in turns", async () => {
    await database.query("insert into app_private.inbox_changes (chat_id) select 1 from generate_series(1, 101)");
    const record = "select app_hidden.record_inbox_changes() as are_more_due";
    expect(await database.query(record)).toEqual([{ are_more_due: true }]);
    expect(await database.query(record)).toEqual([{ are_more_due: false }]);
    expect(await database.query("select from app_private.inbox_changes")).toEqual([]);
  });

  test("a message is work for its readers, however many others listen", async () => {
    const events = async () =>
      (await database.query<{ events: number }>("select count(*)::int as events from change_feed.stream_events"))[0]
        ?.events as number;
    const work = async (text: string, readers: RawSocket[]) => {
      const before = await events();
      const statements = await recordStatements(async () => {
        await sendAndTell("bob", 1, text);
        for (const { messages } of readers) while (!JSON.stringify(await messages.next()).includes(text));
      });
      const reads = statements.filter(({ text }) => text.includes("read_streams")).length;
      return { events: (await events()) - before, statements: statements.length - reads };
    };
    const readers: RawSocket[] = await followAll("ada", "bob");
    // Those that have just subscribed read alone until they have caught up.
    await work("First", readers);
    const alone = await work("Once", readers);
    expect(alone.events).toBe(2);
    await followAll(...Array<"admin">(15).fill("admin"));
    // What the service does each second may come in between; fifteen subscribers would be more.
    const expectAsAlone = ({ events, statements }: typeof alone) => {
      expect(events).toBe(2);
      expect(statements).toBeLessThan(alone.statements + 5);
    };
    expectAsAlone(await work("Twice", readers));
    // Each of them is told of their own chat, and one read serves all devices.
    readers.push(...(await followAll("ada", "ada", "ada")));
    await work("To new devices", readers);
    expectAsAlone(await work("Thrice", readers));
  });
});
