import { askMeanwhile } from "../support/askMeanwhile.ts";
import { type Person, useService } from "../support/service.ts";

/* Profiles, and who follows whom. */
const service = useService();
const { database } = service;

const update = (input: Record<string, unknown>, as: Person = "ada") =>
  service.ask("mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { name bio avatar } }", {
    variables: { input },
    as,
  });

test("a profile keeps what the input leaves out, and an empty text removes the bio and the avatar", async () => {
  const avatar = "https://example.com/ada.png?size=2#top";
  const whole = { name: "Ada L.", bio: "I write.", avatar };
  expect(await update({ name: " Ada L. ", bio: "I write.", avatar })).toEqual({ data: { updateProfile: whole } });
  expect(await update({ bio: "I read." })).toEqual({
    data: { updateProfile: { ...whole, bio: "I read." } },
  });
  const cleared = { name: "Ada L.", bio: null, avatar: null };
  expect(await update({ bio: " \n", avatar: "" })).toEqual({ data: { updateProfile: cleared } });
  expect((await update({ name: "Anybody" }, "nobody")).errors).toMatchObject([
    { extensions: { code: "UNAUTHORIZED" } },
  ]);
});

test.each([
  "http://example.com/a.png",
  "javascript:alert(1)",
  "https://",
  "https://user:secret@example.com/a.png",
  'https://example.com/"onerror="alert(1)',
  "https://example.com/a b.png",
  "//example.com/a.png",
  "data:image/png;base64,AAAA",
])("%s is no avatar", async (avatar) => {
  const { errors } = await update({ avatar, bio: "x".repeat(1001) });
  expect(errors?.[0]?.extensions.validationErrors).toMatchObject([
    { path: ["input", "avatar"], code: "FORMAT", message: "An avatar is a URL that begins with https://." },
    { path: ["input", "bio"], code: "TOO_LONG" },
  ]);
});

test("an avatar has at most 2,000 characters, and a profile needs a name", async () => {
  const { errors } = await update({ avatar: `https://example.com/${"a".repeat(2_000)}`, name: "" });
  expect(errors?.[0]?.extensions.validationErrors).toMatchObject([
    { path: ["input", "avatar"], code: "TOO_LONG" },
    { path: ["input", "name"], code: "TOO_SHORT" },
  ]);
});

test("followers and followed users come newest follow first, page by cursor, and say whom the viewer follows", async () => {
  await database.query(`
    insert into app_public.users (name) select 'Fan ' || n from generate_series(5, 9) n;
    insert into app_public.follows (follower_id, followed_id, created_at)
    select n, 1, timestamptz '2026-03-01' + least(n, 7) * interval '1 day' from generate_series(5, 9) n;
    insert into app_public.follows (follower_id, followed_id) values (2, 5), (2, 9)`);
  const fields = "totalCount nodes { id isFollowedByMe } pageInfo { endCursor hasNextPage }";
  const seen: string[] = [];
  let after = "";
  for (;;) {
    const query = `{ user(id: "1") { followersConnection(first: 2${after}) { ${fields} } } }`;
    const { data } = await service.ask(query, { as: "bob" });
    const { totalCount, nodes, pageInfo } = data.user.followersConnection;
    expect(totalCount).toBe(5);
    for (const { id, isFollowedByMe } of nodes) seen.push(`${id}${isFollowedByMe ? " followed" : ""}`);
    if (!pageInfo.hasNextPage) break;
    after = `, after: "${pageInfo.endCursor}"`;
    // Follows that begin and end meanwhile do not disturb the pages that are left.
    await database.query(
      "insert into app_public.follows (follower_id, followed_id) values (4, 1) on conflict do nothing",
    );
    await database.query("delete from app_public.follows where follower_id = 4");
  }
  expect(seen).toEqual(["9 followed", "8", "7", "6", "5 followed"]);
  const { data } = await service.ask(`{ user(id: "2") { isFollowedByMe followingConnection { nodes { id } } } }`);
  expect(data.user).toEqual({ isFollowedByMe: false, followingConnection: { nodes: [{ id: "9" }, { id: "5" }] } });
});

describe("a user who is deleted meanwhile", () => {
  const deletedDuring = async (mutation: (id: string) => string) => {
    const [user] = await database.query("insert into app_public.users (name) values ('Eve') returning id");
    const change = `delete from app_public.users where id = ${user?.["id"]}`;
    const { errors } = await askMeanwhile(service, change, `mutation { ${mutation(user?.["id"])} }`);
    return errors;
  };

  test.each([
    ["follow", (id: string) => `followUser(userId: "${id}") { user { id } }`],
    ["talk to", (id: string) => `openDirectChat(userId: "${id}") { id }`],
  ])("is NOT_FOUND to %s", async (_what, mutation) => {
    const errors = await deletedDuring(mutation);
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });

  test("is NOT_FOUND to add to a chat, and named among the members of a new one", async () => {
    const [chat] = await database.query(
      `with chat as (insert into app_public.chats default values returning id)
       insert into app_public.chat_members (chat_id, user_id) select id, 2 from chat returning chat_id as id`,
    );
    const added = await deletedDuring((id) => `addChatMember(chatId: "${chat?.["id"]}", userId: "${id}") { id }`);
    expect(added).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
    const made = await deletedDuring((id) => `createChat(memberIds: ["1", "${id}"]) { id }`);
    expect(made?.[0]?.extensions.validationErrors).toMatchObject([
      { path: ["memberIds", 1], code: "INVALID_REFERENCE", message: "This user does not exist." },
    ]);
  });
});

test("a follow brings both users as they are now", async () => {
  await database.query("delete from app_public.follows where follower_id = 3 or followed_id = 2");
  const ask = async (mutation: string) => {
    const query = `mutation { ${mutation}(userId: "2") { user { isFollowedByMe followers { count } } viewer { id following { count } } } }`;
    const { data, errors } = await service.ask(query, { as: "admin" });
    expect(errors).toBeUndefined();
    return data[mutation];
  };
  const brought = (count: number) => ({
    user: { isFollowedByMe: count === 1, followers: { count } },
    viewer: { id: "3", following: { count } },
  });
  for (const _ of ["", "again"]) expect(await ask("followUser")).toEqual(brought(1));
  for (const _ of ["", "again"]) expect(await ask("unfollowUser")).toEqual(brought(0));
});

describe("blocking a user", () => {
  const refused = { extensions: { code: "VALIDATION_ERROR", validationErrors: [{ code: "BLOCKED" }] } };
  const direct = async (as: Person, userId: string) =>
    (await service.ask(`mutation { openDirectChat(userId: "${userId}") { id } }`, { as })).data.openDirectChat.id;

  test("keeps either from writing to the other, until it is lifted", async () => {
    const chatId = await direct("ada", "2");
    const group = await service.ask('mutation { createChat(memberIds: ["2"]) { id } }', { as: "ada" });
    const groupId = group.data.createChat.id;
    const say = (id: string) => `sendMessage(chatId: "${id}", text: "Hi") { id }`;
    for (const _ of ["", "again"]) {
      const { data } = await service.ask('mutation { blockUser(userId: "2") { isBlockedByMe } }', { as: "ada" });
      expect(data).toEqual({ blockUser: { isBlockedByMe: true } });
    }
    for (const [as, other] of [
      ["ada", "2"],
      ["bob", "1"],
    ] as const) {
      for (const act of [
        `openDirectChat(userId: "${other}") { id }`,
        `createChat(memberIds: ["3", "${other}"]) { id }`,
        `addChatMember(chatId: "${groupId}", userId: "${other}") { id }`,
        say(chatId),
      ]) {
        expect((await service.ask(`mutation { ${act} }`, { as })).errors).toMatchObject([refused]);
      }
      expect((await service.ask(`mutation { ${say(groupId)} }`, { as })).errors).toBeUndefined();
    }
    await service.ask('mutation { unblockUser(userId: "2") { id } }', { as: "ada" });
    expect(await direct("bob", "1")).toBe(chatId);
    expect((await service.ask(`mutation { ${say(chatId)} }`, { as: "bob" })).errors).toBeUndefined();
  });

  test("is seen by the one who blocks alone", async () => {
    await service.ask('mutation { one: blockUser(userId: "2") { id } other: blockUser(userId: "4") { id } }', {
      as: "ada",
    });
    const query = '{ user(id: "2") { isBlockedByMe } ada: user(id: "1") { blockedUsersConnection { nodes { id } } } }';
    const none = { user: { isBlockedByMe: false }, ada: { blockedUsersConnection: { nodes: [] } } };
    for (const as of ["bob", "admin", "nobody"] as const) expect((await service.ask(query, { as })).data).toEqual(none);
    expect((await service.ask(query, { as: "ada" })).data).toEqual({
      user: { isBlockedByMe: true },
      ada: { blockedUsersConnection: { nodes: [{ id: "4" }, { id: "2" }] } },
    });
  });

  test("is not possible for oneself, and for a user who does not exist", async () => {
    const { errors } = await service.ask('mutation { blockUser(userId: "1") { id } }', { as: "ada" });
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["userId"], code: "ONESELF" }]);
    const missing = await service.ask('mutation { blockUser(userId: "99999") { id } }', { as: "ada" });
    expect(missing.errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });
});

describe("people by name", () => {
  const named = async (nameStartsWith: string, rest = "") => {
    const query = `query ($named: String) { usersConnection(nameStartsWith: $named${rest}) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }`;
    const { data, errors } = await service.ask(query, { variables: { named: nameStartsWith } });
    expect(errors).toBeUndefined();
    return data.usersConnection;
  };
  const names = async (text: string) => (await named(text)).nodes.map(({ name }: { name: string }) => name);

  beforeAll(() =>
    database.query(
      "insert into app_public.users (name) values ('Zoë Quill'), ('quill Öztürk'), ('Иван Quillон'), ('O''Quill \\ (x):*')",
    ),
  );

  test("are found by the beginning of a word, in any case and order", async () => {
    expect(await names("qui")).toEqual(["Zoë Quill", "quill Öztürk", "Иван Quillон", "O'Quill \\ (x):*"]);
    expect(await names("QUILL ZO")).toEqual(["Zoë Quill"]);
    expect(await names("o\u0308z")).toEqual(["quill Öztürk"]);
    expect(await names("ива")).toEqual(["Иван Quillон"]);
    expect(await names("uill")).toEqual([]);
  });

  test("come in pages, from each list of users", async () => {
    const [first] = (await named("quill", ", first: 1")).nodes;
    expect(first).toEqual({ name: "Zoë Quill" });
    const { pageInfo, totalCount } = await named("quill", ", first: 2");
    expect([pageInfo.hasNextPage, totalCount]).toEqual([true, 4]);
    expect((await named("quill", `, first: 2, after: "${pageInfo.endCursor}"`)).nodes).toHaveLength(2);
    expect((await named("quill", ", last: 1")).nodes).toEqual([{ name: "O'Quill \\ (x):*" }]);
    const { data } = await service.ask(`{ users(nameStartsWith: "oz", limit: 5) { name }
      user(id: "1") { followersConnection(nameStartsWith: "fa") { totalCount } } }`);
    expect(data).toEqual({ users: [{ name: "quill Öztürk" }], user: { followersConnection: { totalCount: 5 } } });
  });

  test.each([
    "",
    " ",
    "'",
    "\\",
    ":*",
    "!w | (",
    "'qui':*A",
    "ada@example.com",
    "x".repeat(100_000),
    "\u0301".repeat(40),
  ])("%p is no error, and finds nobody", async (text) => expect(await names(text)).toEqual([]));
});
