import { type Answer, type Person, useService } from "../support/service.ts";
import { expectShutOut, listen, send, signIn, signUp } from "./account.ts";

/* Reports, bans and roles. */
const service = useService();
const { database } = service;

beforeEach(() =>
  database.query(`
    update app_public.users set role = (case id when 3 then 'ADMIN' else 'USER' end)::app_public.user_role;
    delete from app_public.posts;
    delete from app_public.chats;
    delete from app_public.reports;
    insert into app_public.posts (id, author_id, title, content, status) overriding system value values
      (101, 1, 'Rude', 'Rude.', 'PUBLISHED'), (102, 1, 'Draft', 'Draft.', 'DRAFT');
    insert into app_public.comments (id, post_id, author_id, text) overriding system value values
      (201, 101, 1, 'Ruder.'), (202, 102, 1, 'A note.'), (203, 101, 1, 'Hm.')`),
);

const reportPost = (as: Person, id = "101", reason = "It is rude.") =>
  service.ask("mutation ($id: ID!, $reason: String!) { reportPost(postId: $id, reason: $reason) { success } }", {
    variables: { id, reason },
    as,
  });
const codeOf = ({ errors }: Answer): string | undefined => errors?.[0]?.extensions.code;

/** The newest three entries of the audit trail about a table, the newest first. */
async function trail(table: string): Promise<string[]> {
  const rows = await database.query<{ told: string }>(
    `select a.action || ' by ' || u.name as told from app_public.audit_trail a join app_public.users u on u.id = a.actor_id
      where a.table_name = $1 order by a.id desc limit 3`,
    [table],
  );
  return rows.map(({ told }) => told);
}

describe("reports", () => {
  const queue =
    "status reasonsCount reasons { reason reporter { name } } note post { id author { name } } comment { id } resolvedBy { name }";
  const openReports = async () =>
    (await service.ask(`{ reportsConnection(status: OPEN) { totalCount nodes { id ${queue} } } }`, { as: "admin" }))
      .data.reportsConnection;
  const resolve = (id: string, args: string, as: Person = "admin") =>
    service.ask(`mutation { resolveReport(id: "${id}", ${args}) { status note resolvedBy { name } } }`, { as });
  const told = async (as: Person) =>
    (
      await service.ask(
        "{ notificationsConnection { nodes { kind actor { id } post { id } reportReason { reason } } } }",
        { as },
      )
    ).data.notificationsConnection.nodes;

  test("are idempotent for a reporter, and one entry in the queue of admins: oldest first, by status, with a cursor", async () => {
    expect(await reportPost("bob")).toEqual({ data: { reportPost: { success: true } } });
    expect(await reportPost("bob", "101", "Again.")).toEqual({ data: { reportPost: { success: true } } });
    await service.ask(`mutation { reportComment(commentId: "201", reason: " Ruder. ") { success } }`, { as: "bob" });
    await reportPost("ada", "101", "Sorry.");
    const { data } = await service.ask(
      `{ open: reportsConnection(status: OPEN) { nodes { ${queue} } } reportsConnection(first: 1) { totalCount nodes { post { id } } pageInfo { endCursor } } }`,
      { as: "admin" },
    );
    const reason = (name: string, reason: string) => ({ reason, reporter: { name } });
    expect(data.open.nodes).toEqual([
      {
        status: "OPEN",
        reasonsCount: 2,
        reasons: [reason("Bob", "It is rude."), reason("Ada", "Sorry.")],
        note: null,
        post: { id: "101", author: { name: "Ada" } },
        comment: null,
        resolvedBy: null,
      },
      {
        status: "OPEN",
        reasonsCount: 1,
        reasons: [reason("Bob", " Ruder. ")],
        note: null,
        post: null,
        comment: { id: "201" },
        resolvedBy: null,
      },
    ]);
    expect(data.reportsConnection).toMatchObject({ totalCount: 2, nodes: [{ post: { id: "101" } }] });
    const next = await service.ask(
      `{ reportsConnection(first: 1, after: "${data.reportsConnection.pageInfo.endCursor}") { nodes { comment { id } } } }`,
      { as: "admin" },
    );
    expect(next.data.reportsConnection.nodes).toEqual([{ comment: { id: "201" } }]);
  });

  test("of one post that arrive at once are one entry, which goes with the last reporter", async () => {
    await Promise.all([reportPost("bob"), reportPost("ada"), reportPost("admin"), reportPost("bob")]);
    expect(await openReports()).toMatchObject({ totalCount: 1, nodes: [{ reasonsCount: 3 }] });
    await database.query("delete from app_public.report_reasons where reporter_id in (1, 2)");
    expect(await openReports()).toMatchObject({ totalCount: 1, nodes: [{ reasonsCount: 1 }] });
    await database.query("delete from app_public.report_reasons");
    expect(await openReports()).toEqual({ totalCount: 0, nodes: [] });
  });

  test("are decided together, and each reporter is told, but not by whom", async () => {
    for (const as of ["bob", "ada", "admin"] as const) await reportPost(as, "101", `Of ${as}.`);
    const { id } = (await openReports()).nodes[0];
    await resolve(id, "status: DISMISSED");
    expect(await openReports()).toEqual({ totalCount: 0, nodes: [] });
    const decision = (kind: string, reason: string) => [{ kind, actor: null, post: null, reportReason: { reason } }];
    expect(await told("bob")).toEqual(decision("REPORT_DISMISSED", "Of bob."));
    expect(await told("ada")).toEqual(decision("REPORT_DISMISSED", "Of ada."));
    expect(await told("admin")).toEqual([]);
    // The same reporter reopens nothing.
    await reportPost("bob", "101", "Still.");
    expect(await openReports()).toEqual({ totalCount: 0, nodes: [] });
    await resolve(id, "status: UPHELD");
    // Which outlives the post.
    await database.query("delete from app_public.posts where id = 101");
    expect(await told("bob")).toEqual(decision("REPORT_UPHELD", "Of bob."));
  });

  test("that come after a decision reopen the entry, at the end of the queue, with the note", async () => {
    await reportPost("bob");
    const { id } = (await openReports()).nodes[0];
    await resolve(id, `status: DISMISSED, note: "Fine."`);
    await service.ask(`mutation { reportComment(commentId: "201", reason: "Ruder.") { success } }`, { as: "bob" });
    await reportPost("ada");
    expect(await openReports()).toMatchObject({
      nodes: [{ comment: { id: "201" } }, { id, reasonsCount: 2, note: "Fine.", resolvedBy: null }],
    });
    expect(await told("bob")).toEqual([]);
  });

  test("are decided and reopened by admins, and the audit trail has each step", async () => {
    await reportPost("bob");
    const [{ id } = { id: "" }] = await database.query<{ id: string }>("select id from app_public.reports");
    expect(codeOf(await resolve(id, "status: UPHELD", "ada"))).toBe("NOT_FOUND");
    expect(codeOf(await resolve(id, "status: UPHELD", "bob"))).toBe("NOT_FOUND");
    expect(codeOf(await resolve(id, "status: UPHELD", "nobody"))).toBe("UNAUTHORIZED");
    expect(await resolve(id, `status: DISMISSED, note: "Fine."`)).toEqual({
      data: { resolveReport: { status: "DISMISSED", note: "Fine.", resolvedBy: { name: "Admin" } } },
    });
    const open = await service.ask("{ reportsConnection(status: OPEN) { nodes { id } } }", { as: "admin" });
    expect(open.data.reportsConnection.nodes).toEqual([]);
    expect((await resolve(id, "status: OPEN")).data.resolveReport).toEqual({
      status: "OPEN",
      note: null,
      resolvedBy: null,
    });
    expect(await trail("reports")).toEqual(["UPDATE by Admin", "UPDATE by Admin", "UPDATE by Bob"]);
  });

  test("stay after the decision when the post or comment is deleted; an open one goes with it", async () => {
    await reportPost("bob");
    await reportPost("ada");
    await service.ask(`mutation { reportComment(commentId: "201", reason: "Ruder.") { success } }`, { as: "bob" });
    await service.ask(`mutation { reportComment(commentId: "203", reason: "Hm.") { success } }`, { as: "ada" });
    await database.query(
      "update app_public.reports set status = 'UPHELD', resolved_at = now() where comment_id is distinct from 203",
    );
    await database.query("delete from app_public.posts where id = 101");
    const { data } = await service.ask(`{ reportsConnection { totalCount nodes { ${queue} } } }`, { as: "admin" });
    const decided = { status: "UPHELD", post: null, comment: null };
    expect(data.reportsConnection).toMatchObject({
      totalCount: 2,
      nodes: [
        { ...decided, reasons: [{ reporter: { name: "Bob" }, reason: "It is rude." }, { reporter: { name: "Ada" } }] },
        { ...decided, reasons: [{ reason: "Ruder." }] },
      ],
    });
    const [{ id } = { id: "" }] = await database.query<{ id: string }>("select id from app_public.reports");
    const reopened = await service.ask(`mutation { resolveReport(id: "${id}", status: OPEN) { id } }`, { as: "admin" });
    expect(codeOf(reopened)).toBe("VALIDATION_ERROR");
  });

  test("cannot be made of what the reporter does not see, nor without a reason, nor without a token", async () => {
    expect(codeOf(await reportPost("bob", "102"))).toBe("NOT_FOUND");
    expect(codeOf(await reportPost("bob", "999"))).toBe("NOT_FOUND");
    const comment = `mutation { reportComment(commentId: "202", reason: "x") { success } }`;
    expect(codeOf(await service.ask(comment, { as: "bob" }))).toBe("NOT_FOUND");
    expect(codeOf(await reportPost("nobody"))).toBe("UNAUTHORIZED");
    const { errors } = await reportPost("bob", "101", "  ");
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["reason"], code: "BLANK" }]);
  });

  test("of a message are made by the chat’s members, and let admins read and delete it", async () => {
    await database.query(`
      set local app.is_import = on; truncate app_public.chats restart identity cascade; set local app.is_import = off;
      insert into app_public.chats default values;
      insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2);
      insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Rudest.'), (1, 1, 'Between us.')`);
    const act = (as: Person, mutation: string) => service.ask(`mutation { ${mutation} }`, { as });
    const report = (as: Person, id = "1", reason = "Rude.") =>
      act(as, `reportMessage(messageId: "${id}", reason: "${reason}") { success }`);
    const found = async (as: Person) =>
      (await service.ask("{ reportsConnection(status: OPEN) { nodes { message { text sender { name } } } } }", { as }))
        .data.reportsConnection?.nodes;
    const take = (as: Person, id = "1") => act(as, `deleteMessage(id: "${id}") { text deletedAt }`);

    // The admin is no member.
    expect(codeOf(await report("admin"))).toBe("NOT_FOUND");
    expect(codeOf(await report("nobody"))).toBe("UNAUTHORIZED");
    expect(codeOf(await report("bob", "99"))).toBe("NOT_FOUND");
    expect((await report("bob", "1", " ")).errors?.[0]?.extensions.validationErrors).toMatchObject([{ code: "BLANK" }]);
    const chat = (as: Person) =>
      service.ask("{ chat(id: 1) { lastMessage { text } messagesConnection { totalCount nodes { text } } } }", { as });
    const unreported = { lastMessage: null, messagesConnection: { totalCount: 0, nodes: [] } };
    expect((await chat("admin")).data).toEqual({ chat: unreported });
    expect(codeOf(await take("admin"))).toBe("NOT_FOUND");
    for (let time = 1; time <= 2; time++)
      expect((await report("bob")).data).toEqual({ reportMessage: { success: true } });

    expect(await found("admin")).toEqual([{ message: { text: "Rudest.", sender: { name: "Ada" } } }]);
    for (const as of ["ada", "bob", "nobody"] as const) expect(await found(as)).toBeUndefined();
    expect(codeOf(await take("bob"))).toBe("UNAUTHORIZED");
    expect((await chat("admin")).data.chat).toEqual({
      lastMessage: null,
      messagesConnection: { totalCount: 1, nodes: [{ text: "Rudest." }] },
    });
    expect((await chat("bob")).data.chat.messagesConnection.totalCount).toBe(2);
    expect(codeOf(await act("admin", 'sendMessage(chatId: "1", text: "Hm.") { id }'))).toBe("UNAUTHORIZED");
    expect(codeOf(await take("admin", "2"))).toBe("NOT_FOUND");
    expect((await take("admin")).data.deleteMessage).toEqual({ text: "[erased]", deletedAt: expect.any(String) });
    const texts = await database.query("select text from app_public.messages order by number");
    expect(texts).toEqual([{ text: "[erased]" }, { text: "Between us." }]);
    // The sender cannot bring it back, and the report stays to be decided.
    expect(codeOf(await act("ada", 'updateMessage(id: "1", text: "Back.") { text }'))).toBe("NOT_FOUND");
    expect(await found("admin")).toMatchObject([{ message: { text: "[erased]" } }]);
  });

  test("are at most fifty in a day for a reporter", async () => {
    await database.query(`
      insert into app_public.posts (author_id, title, content, status) select 1, 'Post ' || n, 'x', 'PUBLISHED' from generate_series(1, 50) n;
      insert into app_public.reports (post_id) select id from app_public.posts where title like 'Post %';
      insert into app_public.report_reasons (report_id, reporter_id, reason) select id, 2, 'x' from app_public.reports`);
    const { errors } = await reportPost("bob");
    expect(errors).toMatchObject([{ extensions: { code: "RATE_LIMITED", retryAfter: expect.any(Number) } }]);
    expect((await reportPost("ada")).errors).toBeUndefined();
  });

  test.each(["ada", "bob", "nobody"] as const)("are hidden from %s", async (person) => {
    await reportPost("bob");
    const seen = await service.ask(
      '{ reportsConnection { totalCount nodes { id } } node(nodeId: "WyJSZXBvcnQiLCIxIl0=") { ... on Report { id } } bansConnection { nodes { id } } }',
      { as: person },
    );
    const reason = person === "nobody" ? "NOT_SIGNED_IN" : "FORBIDDEN";
    for (const list of ["reportsConnection", "bansConnection"]) {
      expect(seen.errors).toContainEqual(
        expect.objectContaining({ path: [list], extensions: { code: "UNAUTHORIZED", reason } }),
      );
    }
    expect(JSON.stringify(seen.data)).not.toMatch(/rude|"id":|totalCount":[1-9]/);
  });
});

describe("banning", () => {
  const ban = (userId: string, as: Person = "admin", reason = "Spam.") =>
    service.ask("mutation ($userId: ID!, $reason: String!) { banUser(userId: $userId, reason: $reason) { name } }", {
      variables: { userId, reason },
      as,
    });
  const unban = (userId: string, as: Person = "admin") =>
    service.ask(`mutation { unbanUser(userId: "${userId}") { name } }`, { as });

  test("ends sessions and subscriptions at once, and lasts until it is lifted", async () => {
    const account = await signUp(service);
    const socket = await listen(service, account);
    expect(await ban(account.id)).toEqual({ data: { banUser: { name: "P" } } });
    await expectShutOut(service, account, socket);
    expect((await signIn(service, account.email)).errors).toMatchObject([
      { message: "This account is banned: Spam.", extensions: { code: "UNAUTHORIZED", reason: "BANNED" } },
    ]);
    expect((await signIn(service, account.email, "a wrong one")).errors).toMatchObject([
      { extensions: { reason: "WRONG_PASSWORD" } },
    ]);
    const bans = "{ bansConnection { nodes { user { id } reason bannedBy { name } } } }";
    const entry = { user: { id: account.id }, bannedBy: { name: "Admin" } };
    expect((await service.ask(bans, { as: "admin" })).data.bansConnection.nodes).toEqual([
      { ...entry, reason: "Spam." },
    ]);
    expect((await ban(account.id, "admin", "Much spam.")).errors).toBeUndefined();
    expect((await service.ask(bans, { as: "admin" })).data.bansConnection.nodes).toEqual([
      { ...entry, reason: "Much spam." },
    ]);
    const ofUser = `{ user(id: "${account.id}") { ban { reason } } }`;
    expect((await service.ask(ofUser, { as: "ada" })).data).toEqual({ user: { ban: null } });
    for (const _ of ["", "again"]) expect((await unban(account.id)).errors).toBeUndefined();
    expect((await service.ask(bans, { as: "admin" })).data.bansConnection.nodes).toEqual([]);
    const refresh = `mutation { refreshSession(refreshToken: "${account.refreshToken}") { userId } }`;
    expect((await send(service, refresh)).errors).toMatchObject([{ extensions: { reason: "SESSION_OVER" } }]);
    expect((await signIn(service, account.email)).errors).toBeUndefined();
    expect(await trail("bans")).toEqual(["DELETE by Admin", "UPDATE by Admin", "INSERT by Admin"]);
  });

  test("lifts a ban that an operator has set in SQL", async () => {
    const { id, email } = await signUp(service);
    await database.query("update app_private.accounts set banned_at = now() where user_id = $1", [id]);
    await unban(id);
    expect((await signIn(service, email)).errors).toBeUndefined();
  });

  test("is for admins, not of admins, and needs a reason", async () => {
    for (const as of ["ada", "nobody"] as const) {
      expect(codeOf(await ban("2", as))).toBe("UNAUTHORIZED");
      expect(codeOf(await unban("4", as))).toBe("UNAUTHORIZED");
    }
    expect(codeOf(await ban("999"))).toBe("NOT_FOUND");
    await database.query("update app_public.users set role = 'ADMIN' where id = 1");
    for (const [userId, reason, path, code] of [
      ["3", "x", "userId", "ONESELF"],
      ["1", "x", "userId", "ADMIN"],
      ["2", " ", "reason", "BLANK"],
    ] as const) {
      const { errors } = await ban(userId, "admin", reason);
      expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: [path], code }]);
    }
  });
});

describe("roles", () => {
  const setRole = (userId: string, role: string, as: Person = "admin") =>
    service.ask(`mutation { setUserRole(userId: "${userId}", role: ${role}) { name role } }`, { as });

  test("are changed by other admins", async () => {
    expect(codeOf(await setRole("2", "ADMIN", "ada"))).toBe("UNAUTHORIZED");
    expect(codeOf(await setRole("2", "ADMIN", "nobody"))).toBe("UNAUTHORIZED");
    expect(codeOf(await setRole("999", "ADMIN"))).toBe("NOT_FOUND");
    expect(await setRole("1", "ADMIN")).toEqual({ data: { setUserRole: { name: "Ada", role: "ADMIN" } } });
    expect((await setRole("3", "USER", "ada")).data).toEqual({ setUserRole: { name: "Admin", role: "USER" } });
    expect(codeOf(await setRole("2", "ADMIN"))).toBe("UNAUTHORIZED");
    const { errors } = await setRole("1", "USER", "ada");
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["userId"], code: "ONESELF" }]);
  });

  test("a banned user does not become an admin", async () => {
    const { errors } = await setRole("4", "ADMIN");
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["userId"], code: "BANNED" }]);
  });

  test("of two admins who demote each other at once, one remains", async () => {
    await database.query("update app_public.users set role = 'ADMIN' where id = 1");
    const answers = await Promise.all([setRole("3", "USER", "ada"), setRole("1", "USER", "admin")]);
    expect(answers.map(codeOf).sort()).toEqual(["UNAUTHORIZED", undefined]);
    expect(await database.query("select from app_public.users where role = 'ADMIN'")).toHaveLength(1);
  });
});
