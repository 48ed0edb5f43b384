import { RawSocket } from "../support/RawSocket.ts";
import { type Person, people, untilListening, useService } from "../support/service.ts";

/* Live: comments, publications, reports, and the notifications of the signed-in user, which are a list as well. */
const service = useService();
const sockets: RawSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await untilListening(0, service.app);
  await service.database.query("delete from app_public.posts; delete from app_public.follows");
});

/** Opens a socket with one subscription, or a field of one, and waits until the service has `count` of them. */
async function follow(person: Person, query: string, count: number, variables?: object): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  const payload = person === "nobody" ? {} : { authToken: await service.tokenOf(person) };
  socket.say({ type: "connection_init", payload });
  await socket.messages.next();
  const operation = query.startsWith("subscription") ? query : `subscription { ${query} }`;
  socket.say({ type: "subscribe", id: "1", payload: { query: operation, variables } });
  if (count > 0) await untilListening(count, service.app);
  return socket;
}

async function results({ messages }: RawSocket, count: number): Promise<unknown[]> {
  return (await messages.take(count)).map(({ payload }) => Object.values(payload.data)[0]);
}

async function refusal({ messages }: RawSocket): Promise<string> {
  const { type, payload } = await messages.next();
  expect(type).toBe("error");
  return payload[0].extensions.code;
}

async function ask<T = Record<string, unknown>>(as: Person, query: string): Promise<T> {
  const { data, errors } = await service.ask(query, { as });
  expect(errors).toBeUndefined();
  return data as T;
}

async function makePost(as: Person, title: string, status = "PUBLISHED"): Promise<string> {
  const [post] = await service.database.query<{ id: string }>(
    "insert into app_public.posts (author_id, title, content, status) values ($1, $2, 'Text.', $3::app_public.post_status) returning id",
    [people[as as keyof typeof people], title, status],
  );
  return post?.id as string;
}

async function comment(as: Person, postId: string, text: string, replyToId?: string): Promise<string> {
  const reply = replyToId ? `, replyToId: "${replyToId}"` : "";
  const mutation = `mutation { createComment(input: { postId: "${postId}", text: "${text}"${reply} }) { id } }`;
  return (await ask<{ createComment: { id: string } }>(as, mutation)).createComment.id;
}

const setStatus = (id: string, status: string) =>
  service.database.query("update app_public.posts set status = $2::app_public.post_status where id = $1", [id, status]);

describe("commentAdded", () => {
  test("sends comments and replies of the post to all who may see it", async () => {
    const postId = await makePost("ada", "Open");
    const query = `commentAdded(postId: "${postId}") { text replyTo { text } post { commentsCount } }`;
    const readers = [await follow("nobody", query, 1), await follow("bob", query, 2)];
    const id = await comment("bob", postId, "Said");
    await comment("ada", postId, "Answered", id);
    for (const reader of readers) {
      expect(await results(reader, 2)).toMatchObject([
        { text: "Said", replyTo: null },
        { text: "Answered", replyTo: { text: "Said" }, post: { commentsCount: 2 } },
      ]);
    }
  });

  test("goes on from the beginning after 0, and from nowhere after what is no id", async () => {
    const postId = await makePost("ada", "Open");
    const from = (after: string) => follow("bob", `commentAdded(postId: "${postId}", after: "${after}") { text }`, 0);
    const early = await from("0");
    await comment("bob", postId, "First");
    await comment("bob", postId, "Second");
    for (const reader of [early, await from("0")]) {
      expect(await results(reader, 2)).toEqual([{ text: "First" }, { text: "Second" }]);
    }
    for (const after of ["", "-1", "00", "first"]) expect(await refusal(await from(after))).toBe("VALIDATION_ERROR");
  });

  test("is NOT_FOUND for the draft of another, and ends when the post is no longer visible", async () => {
    const postId = await makePost("ada", "Open");
    const draft = await makePost("ada", "Hidden", "DRAFT");
    expect(await refusal(await follow("bob", `commentAdded(postId: "${draft}") { text }`, 0))).toBe("NOT_FOUND");
    const reader = await follow("bob", `commentAdded(postId: "${postId}") { text }`, 1);
    await setStatus(postId, "DRAFT");
    await comment("ada", postId, "To myself");
    expect(await refusal(reader)).toBe("UNAUTHORIZED");
  });
});

describe("positions", () => {
  test("of rows that leave a key and return are those of the events: nothing comes twice, and an id that is none is refused", async () => {
    const postId = await makePost("ada", "Open");
    const other = await makePost("ada", "Other");
    const [a, b] = [await comment("bob", postId, "A"), await comment("bob", postId, "B")];
    const move = (id: string, to: string) =>
      service.database.query("update app_public.comments set post_id = $1 where id = $2", [to, id]);
    const deleted = (after: string) => `commentDeleted(postId: "${postId}", after: "${after}") { id after }`;
    const reader = await follow("bob", deleted("0"), 1);
    await move(a, other);
    await move(b, other);
    await move(a, postId);
    await move(a, other);
    const events = (await results(reader, 3)) as { id: string; after: string }[];
    expect(events.map(({ id }) => id)).toEqual([a, b, a]);
    expect(
      reader.messages.all.filter(({ type }) => type === "next").map(({ payload }) => payload.extensions.after),
    ).toEqual(events.map(({ after }) => after));
    await move(b, postId);
    await move(b, other);
    for (const [index, { after }] of events.entries()) {
      const rest = [...events.slice(index + 1).map(({ id }) => id), b];
      const received = (await results(await follow("bob", deleted(after), 0), rest.length)) as { id: string }[];
      expect(received.map(({ id }) => id)).toEqual(rest);
    }
    // It has been deleted twice.
    expect(await refusal(await follow("bob", deleted(a), 0))).toBe("POSITION_LOST");
  });

  test("continue each kind of subscription to the event", async () => {
    const postId = await makePost("ada", "Open");
    const [one, two] = [await comment("bob", postId, "One"), await comment("bob", postId, "Two")];
    const added = (after: string) => `commentAdded(postId: "${postId}", after: "${after}") { id }`;
    const reader = await follow("bob", added("0"), 1);
    await results(reader, 2);
    const { after } = reader.messages.all.find(({ type }) => type === "next")?.payload.extensions ?? {};
    for (const position of [after, one]) {
      expect(await results(await follow("bob", added(position), 0), 1)).toEqual([{ id: two }]);
    }
  });
});

test("a deleted record comes with what it belonged to, as the viewer sees it", async () => {
  const postId = await makePost("ada", "Open");
  const id = await comment("bob", postId, "Gone soon");
  const reader = await follow("nobody", `commentDeleted(postId: "${postId}") { id post { id commentsCount } }`, 1);
  await ask("bob", `mutation { deleteComment(id: "${id}") { success } }`);
  expect(await results(reader, 1)).toEqual([{ id, post: { id: postId, commentsCount: 0 } }]);
});

test("a subscription to a draft of another ends for an admin who is one no longer", async () => {
  const reader = await follow(
    "admin",
    `commentAdded(postId: "${await makePost("ada", "Hidden", "DRAFT")}") { text }`,
    1,
  );
  const setRole = (role: string) =>
    service.database.query("update app_public.users set role = $1::app_public.user_role where id = 3", [role]);
  await setRole("USER");
  try {
    expect(await refusal(reader)).toBe("UNAUTHORIZED");
  } finally {
    await setRole("ADMIN");
  }
});

describe("commentUpdated and commentDeleted", () => {
  test("keep a second window equal: changes of the text, and deletions with the replies", async () => {
    const postId = await makePost("ada", "Open");
    const id = await comment("bob", postId, "Said");
    const replyId = await comment("ada", postId, "Answered", id);
    const updated = await follow("ada", `commentUpdated(postId: "${postId}") { id text updatedAt }`, 1);
    const deleted = await follow("ada", `commentDeleted(postId: "${postId}") { id deletedNodeId }`, 2);
    await ask("bob", `mutation { updateComment(id: "${id}", text: "Corrected") { id } }`);
    // The copies of the post's visibility change, and that is no change of a comment.
    await setStatus(postId, "DRAFT");
    await setStatus(postId, "PUBLISHED");
    await ask("ada", `mutation { updateComment(id: "${replyId}", text: "Corrected, too") { id } }`);
    expect(await results(updated, 2)).toMatchObject([
      { id, text: "Corrected", updatedAt: expect.any(String) },
      { id: replyId, text: "Corrected, too" },
    ]);
    await ask("bob", `mutation { deleteComment(id: "${id}") { success } }`);
    const gone = (one: string) => ({ id: one, deletedNodeId: btoa(`["Comment","${one}"]`) });
    expect(await results(deleted, 2)).toEqual([gone(id), gone(replyId)]);
  });
});

describe("postUpdated", () => {
  const ofPost = (id: string, after = "") =>
    `postUpdated(id: "${id}"${after && `, after: "${after}"`}) { title version }`;

  test("sends each update to those who see the post, and goes on after one", async () => {
    const id = await makePost("ada", "Draft", "DRAFT");
    const other = await makePost("ada", "Other");
    expect(await refusal(await follow("bob", ofPost(id), 0))).toBe("NOT_FOUND");
    expect(await refusal(await follow("ada", ofPost("999999999"), 0))).toBe("NOT_FOUND");
    const updates =
      "subscription Updated($id: ID!, $after: ID) { postUpdated(id: $id, after: $after) { title version } }";
    const author = await follow("ada", updates, 1, { id });
    const update = (title: string) =>
      ask<{ updatePost: object }>(
        "ada",
        `mutation { updatePost(id: "${id}", input: { title: "${title}" }) { title version } }`,
      );
    const first = (await update("First")).updatePost;
    expect(await results(author, 1)).toEqual([first]);
    const { after } = author.messages.all.at(-1).payload.extensions;
    await service.database.query("update app_public.posts set title = 'Else' where id = $1", [other]);
    await setStatus(id, "PUBLISHED");
    // An update whose event has not been sent yet is sent to new subscriptions, too.
    await results(author, 1);
    const reader = await follow("nobody", ofPost(id), 2);
    const second = (await update("Second")).updatePost;
    expect(await results(reader, 1)).toEqual([second]);
    expect(await results(await follow("ada", ofPost(id, after), 3), 2)).toHaveLength(2);
  });

  test("ends when the post is hidden or deleted", async () => {
    const [hidden, deleted] = [await makePost("ada", "Hidden"), await makePost("ada", "Deleted")];
    const readers = [await follow("bob", ofPost(hidden), 1), await follow("nobody", ofPost(deleted), 2)];
    await setStatus(hidden, "DRAFT");
    await ask("ada", `mutation { deletePost(id: "${deleted}") { success } }`);
    for (const reader of readers) expect(await refusal(reader)).toBe("UNAUTHORIZED");
  });
});

describe("postPublished", () => {
  const query = `postPublished(authorId: "1") { id title }`;

  test("sends each post of the author once, when it is first published, and never a draft", async () => {
    const reader = await follow("nobody", query, 1);
    const draft = await makePost("ada", "Draft", "DRAFT");
    const atOnce = await makePost("ada", "At once");
    await makePost("bob", "By another");
    await setStatus(draft, "PUBLISHED");
    expect(await results(reader, 2)).toEqual([
      { id: atOnce, title: "At once" },
      { id: draft, title: "Draft" },
    ]);
    await setStatus(draft, "DRAFT");
    await setStatus(draft, "PUBLISHED");
    await service.database.query("update app_public.posts set title = 'Changed' where id = $1", [draft]);
    const last = await makePost("ada", "Last");
    expect(await results(reader, 1)).toEqual([{ id: last, title: "Last" }]);
  });

  test("leaves out a post that was hidden again in the same moment", async () => {
    const reader = await follow("bob", query, 1);
    await service.database.query(`
      begin;
      insert into app_public.posts (author_id, title, content, status) values (1, 'Hidden', 'Text.', 'PUBLISHED');
      update app_public.posts set status = 'DRAFT' where title = 'Hidden';
      commit`);
    const shown = await makePost("ada", "Shown");
    expect(await results(reader, 1)).toEqual([{ id: shown, title: "Shown" }]);
  });

  test("goes on after a post, says nothing of drafts, and is NOT_FOUND for a user who is not there", async () => {
    const first = await makePost("ada", "First");
    const draft = await makePost("ada", "Hidden", "DRAFT");
    const second = await makePost("ada", "Second");
    const from = (id: string) => `postPublished(authorId: "1", after: "${id}") { id }`;
    expect(await results(await follow("nobody", from(first), 1), 1)).toEqual([{ id: second }]);
    for (const id of [draft, "999999999"])
      expect(await refusal(await follow("bob", from(id), 0))).toBe("POSITION_LOST");
    expect(await refusal(await follow("bob", `postPublished(authorId: "999999999") { id }`, 0))).toBe("NOT_FOUND");
  });

  test("does not accept a draft as `after` before anything was recorded", async () => {
    await service.database.query("delete from change_feed.stream_events; delete from change_feed.stream_heads");
    const draft = await makePost("ada", "Hidden", "DRAFT");
    const query = `postPublished(authorId: "1", after: "${draft}") { id }`;
    expect(await refusal(await follow("bob", query, 0))).toBe("POSITION_LOST");
  });
});

describe("notifications", () => {
  const fields = "kind actor { name } post { title } comment { text } readAt";
  interface Notice {
    id: string;
    kind: string;
  }
  const list = async (as: Person, args = "", selection = "kind comment { text }") =>
    (
      await ask<{ notificationsConnection: { nodes: Notice[] } }>(
        as,
        `{ notificationsConnection${args} { nodes { ${selection} } } }`,
      )
    ).notificationsConnection.nodes;
  const unreadOf = async (as: Person) =>
    (await ask<{ me: { unreadNotificationsCount: number } }>(as, "{ me { unreadNotificationsCount } }")).me
      .unreadNotificationsCount;

  test("tell of followers, comments and replies, newest first, and arrive as they are added", async () => {
    const added = `subscription Notified($after: ID) { notificationAdded(after: $after) { kind actor { name } post { title } comment { text } readAt } }`;
    const [ada, bob] = [await follow("ada", added, 1), await follow("bob", added, 2)];
    const postId = await makePost("ada", "Post");
    await ask("bob", `mutation { followUser(userId: "1") { user { id } } }`);
    const id = await comment("bob", postId, "A question");
    await comment("ada", postId, "An answer", id);
    await comment("admin", postId, "Another", id);
    const of = (kind: string, actor: string, text?: string) => ({
      kind,
      actor: { name: actor },
      post: text ? { title: "Post" } : null,
      comment: text ? { text } : null,
      readAt: null,
    });
    const forAda = [of("FOLLOWED", "Bob"), of("COMMENTED", "Bob", "A question"), of("COMMENTED", "Admin", "Another")];
    const forBob = [of("REPLIED", "Ada", "An answer"), of("REPLIED", "Admin", "Another")];
    expect(await results(ada, 3)).toEqual(forAda);
    expect(await results(bob, 2)).toEqual(forBob);
    expect(await list("ada", "", fields)).toEqual(forAda.reverse());
    expect(await list("bob", "", fields)).toEqual(forBob.reverse());
    expect(await list("admin")).toEqual([]);
    const connection = `{ notificationsConnection(first: 1) { totalCount nodes { kind } } }`;
    expect(await ask("ada", connection)).toEqual({
      notificationsConnection: { totalCount: 3, nodes: [{ kind: "COMMENTED" }] },
    });
  });

  test("tell nobody of what they did themselves, and the author of the post and of the comment once", async () => {
    const postId = await makePost("ada", "Post");
    const own = await comment("ada", postId, "By me");
    await comment("ada", postId, "By me again", own);
    expect(await list("ada")).toEqual([]);
    await comment("bob", postId, "By Bob", own);
    expect(await list("ada")).toEqual([{ kind: "REPLIED", comment: { text: "By Bob" } }]);
  });

  test("are only the signed-in user's", async () => {
    const postId = await makePost("ada", "Post");
    await comment("bob", postId, "A question");
    const [{ id } = { id: "" }] = await list("ada", "", "id");
    for (const as of ["bob", "admin"] as const) {
      expect(await list(as)).toEqual([]);
      const { errors } = await service.ask(
        `{ node(nodeId: "${btoa(`["Notification","${id}"]`)}") { ... on Notification { kind } } }`,
        { as },
      );
      expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
      await ask(as, `mutation { markNotificationsRead(upToId: "${id}") { id } }`);
      expect(await ask(as, `{ user(id: "1") { unreadNotificationsCount } }`)).toEqual({
        user: { unreadNotificationsCount: null },
      });
    }
    expect(await unreadOf("ada")).toBe(1);
    const { errors } = await service.ask("{ notificationsConnection { nodes { id } } }");
    expect(errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
    expect(await refusal(await follow("nobody", "notificationAdded { id }", 0))).toBe("UNAUTHORIZED");
  });

  test("are marked as read up to one of them, and counted up to a hundred", async () => {
    const postId = await makePost("ada", "Post");
    for (const text of ["One", "Two", "Three"]) await comment("bob", postId, text);
    const [, second] = await list("ada", "", "id");
    const mutation = `mutation { markNotificationsRead(upToId: "${second?.id}") { unreadNotificationsCount } }`;
    expect(await ask("ada", mutation)).toEqual({ markNotificationsRead: { unreadNotificationsCount: 1 } });
    expect(await list("ada", "(unread: true)")).toMatchObject([{ comment: { text: "Three" } }]);
    expect(await list("ada", "(unread: false)")).toMatchObject([
      { comment: { text: "Two" } },
      { comment: { text: "One" } },
    ]);
    await service.database.query(
      "insert into app_public.comments (post_id, author_id, text) select $1, 2, 'Text' from generate_series(1, 150)",
      [postId],
    );
    expect(await unreadOf("ada")).toBe(100);
  });

  test("bring the number of unread ones, and each device hears once when they are read", async () => {
    const added = await follow("admin", "notificationAdded { user { id unreadNotificationsCount } }", 1);
    const device = await follow("admin", `meUpdated(after: "0") { unreadNotificationsCount bio }`, 2);
    const postId = await makePost("admin", "Post");
    await comment("bob", postId, "One");
    expect(await results(added, 1)).toEqual([{ user: { id: "3", unreadNotificationsCount: 1 } }]);
    await comment("bob", postId, "Two");
    await comment("ada", postId, "Three");
    const [{ id } = { id: "" }] = await list("admin", "", "id");
    const read = `mutation { markNotificationsRead(upToId: "${id}") { id } }`;
    await ask("admin", read);
    expect(await results(device, 1)).toEqual([{ unreadNotificationsCount: 0, bio: null }]);
    await ask("admin", read);
    await ask("admin", `mutation { updateProfile(input: { bio: "Edits." }) { id } }`);
    expect(await results(device, 1)).toEqual([{ unreadNotificationsCount: 0, bio: "Edits." }]);
  });

  test("send meUpdated when unread ones are gone, or hidden with their post, and not when read ones are", async () => {
    const device = await follow("ada", `meUpdated { unreadNotificationsCount }`, 1);
    const told = async (act: () => Promise<unknown>, ...counts: number[]) => {
      await act();
      expect(await results(device, counts.length)).toEqual(
        counts.map((count) => ({ unreadNotificationsCount: count })),
      );
    };
    const postId = await makePost("ada", "Post");
    const unread = await unreadOf("ada");
    const [one, two] = [await comment("bob", postId, "One"), await comment("bob", postId, "Two")];
    await told(() => ask("bob", `mutation { deleteComment(id: "${one}") { success } }`), unread + 1);
    const question = await comment("ada", await makePost("bob", "Another"), "Question");
    const [{ post_id = "" } = {}] = await service.database.query<{ post_id: string }>(
      `select post_id from app_public.comments where id = ${question}`,
    );
    await comment("bob", post_id, "Answer", question);
    await told(() => setStatus(post_id, "DRAFT"), unread + 1);
    await told(() => setStatus(post_id, "PUBLISHED"), unread + 2);
    await told(() => service.database.query("delete from app_public.posts where id = $1", [post_id]), unread + 1);
    await ask("bob", `mutation { followUser(userId: "1") { user { id } } }`);
    await told(() => ask("bob", `mutation { unfollowUser(userId: "1") { user { id } } }`), unread + 1);
    await service.database.query("update app_public.notifications set read_at = now() where user_id = 1");
    await results(device, 1);
    await ask("bob", `mutation { deleteComment(id: "${two}") { success } }`);
    await told(() => ask("ada", `mutation { updateProfile(input: { bio: "Edits again." }) { id } }`), 0);
  });

  test("are hidden while their post is, and removed with what they are about", async () => {
    const postId = await makePost("ada", "Post");
    const question = await comment("bob", postId, "A question");
    await comment("ada", postId, "An answer", question);
    await setStatus(postId, "DRAFT");
    expect([await list("bob"), await unreadOf("bob")]).toEqual([[], 0]);
    expect(await list("ada")).toHaveLength(1);
    await setStatus(postId, "PUBLISHED");
    expect([(await list("bob")).length, await unreadOf("bob")]).toEqual([1, 1]);
    await ask("bob", `mutation { deleteComment(id: "${question}") { success } }`);
    expect([await list("ada"), await list("bob")]).toEqual([[], []]);
    await ask("bob", `mutation { followUser(userId: "1") { user { id } } }`);
    await ask("bob", `mutation { unfollowUser(userId: "1") { user { id } } }`);
    expect(await list("ada")).toEqual([]);
    expect(await service.database.query("select * from app_private.check_derived_data()")).toEqual([]);
  });

  test("are one row a write, however many have commented", async () => {
    const postId = await makePost("ada", "Post");
    const count = () => service.database.query("select count(*)::int as rows from app_public.notifications");
    await service.database.query(
      "insert into app_public.comments (post_id, author_id, text) select $1, 2 + n % 2, 'Text' from generate_series(1, 300) n",
      [postId],
    );
    expect(await count()).toEqual([{ rows: 300 }]);
    await comment("admin", postId, "One more");
    expect(await count()).toEqual([{ rows: 301 }]);
  });

  test("are not written of events that are too old, and are removed when they are", async () => {
    const postId = await makePost("ada", "Post");
    await service.database.query(
      "insert into app_public.comments (post_id, author_id, text, created_at) values ($1, 2, 'Old', now() - interval '91 days')",
      [postId],
    );
    await comment("bob", postId, "Older soon");
    await comment("bob", postId, "New");
    expect(await unreadOf("ada")).toBe(2);
    await service.database.query(`update app_public.notifications set created_at = now() - interval '91 days'
      where comment_id = (select id from app_public.comments where text = 'Older soon')`);
    await service.database.query("call app_private.maintain()");
    expect(await list("ada")).toMatchObject([{ comment: { text: "New" } }]);
  });
});

describe("reportUpdated and reportDeleted", () => {
  test("send admins each new report, further reason and decision, also those of their absence, and what is gone", async () => {
    const postId = await makePost("ada", "Rude");
    const query = `reportUpdated(after: "0") { id status reasonsCount post { title } }`;
    const admin = await follow("admin", query, 1);
    const report = (as: Person) => ask(as, `mutation { reportPost(postId: "${postId}", reason: "Rude.") { success } }`);
    await report("bob");
    const [{ id }] = (await results(admin, 1)) as [{ id: string }];
    await report("bob");
    await report("ada");
    await ask("admin", `mutation { resolveReport(id: "${id}", status: UPHELD) { id } }`);
    const decided = { id, status: "UPHELD", reasonsCount: 2, post: { title: "Rude" } };
    expect((await results(admin, 2)).at(-1)).toEqual(decided);
    expect((await results(await follow("admin", query, 2), 3)).at(-1)).toEqual(decided);
    const gone = await follow("admin", `reportDeleted(after: "0") { id }`, 3);
    const other = await makePost("ada", "Ruder");
    await ask("bob", `mutation { reportPost(postId: "${other}", reason: "Ruder.") { success } }`);
    const [{ id: open }] = (await results(admin, 1)) as [{ id: string }];
    await service.database.query("delete from app_public.posts");
    expect(await results(gone, 1)).toEqual([{ id: open }]);
    expect(await refusal(await follow("ada", query, 0))).toBe("NOT_FOUND");
    expect(await refusal(await follow("nobody", query, 0))).toBe("UNAUTHORIZED");
  });
});
