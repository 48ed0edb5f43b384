import { readSchema } from "../../src/commands/readSchema.ts";
import { killListeners } from "../messages/support/chats.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { type Person, untilListening, useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* Subscriptions to comments, declared by SQL alone, have everything that those to messages have. */
const service = useService();
const sockets: RawSocket[] = [];

const tags = `@listOrder created_at, id
@behavior -query:resource:list -query:resource:connection -query:resource:single
@subscription commentAdded post_id
@subscription commentUpdated post_id updated
@subscription commentDeleted post_id deleted
A comment.`;
const migration = `
  select change_feed.stream('app_public.comments', 'post_id');
  comment on table app_public.comments is $$${tags}$$;`;
interface Warned {
  leftOut?: string[];
}

/** @returns what the log says of the tags that are ignored */
async function migrate(sql: string): Promise<string[]> {
  const before = service.logged.length;
  await service.database.query(sql);
  expect(await service.app.rebuild()).toBe(true);
  const { leftOut = [] } = (service.logged.slice(before).findLast(({ level }) => level === 40) ?? {}) as Warned;
  const reason = /^The smart tag @subscription .* cannot be made with it: (.*?)\.? Correct it: /;
  return leftOut.flatMap((line) => reason.exec(line)?.[1] ?? []);
}

describe("a tag without its stream", () => {
  let reasons: string[];

  // All are in one schema: it is made once, and one more time for each. The service's own subscriptions, declared in the same way, end.
  beforeAll(async () => {
    reasons = await migrate(`
      select change_feed.stream('app_public.comments', 'post_id', '{deleted}');
      comment on table app_public.comments is $$
@subscription commentAdded post_id
@subscription commentByAuthor author_id
@subscription commentMoved post_id moved
@subscription commentOfPage page_id
@subscription commentForAll post_id added everybody
@subscription commentDeleted post_id deleted
A comment.$$`);
  });

  const unrecorded = (name: string, key: string) =>
    `@subscription ${name} ${key} of comments: nothing records the added rows by ${key}. Call in a migration: select change_feed.stream(`;
  test.each([
    ["says what to call", `${unrecorded("commentByAuthor", "author_id")}'app_public.comments', 'author_id')`],
    [
      "says which kinds to call it with, when there is a stream of others",
      `${unrecorded("commentAdded", "post_id")}'app_public.comments', 'post_id', kinds => '{added,deleted}')`,
    ],
    ["asks for a kind that there is not", "say added, updated or deleted instead of moved"],
    ["asks for a column that there is not", "the table has no column page_id"],
    ["asks for viewers that there are not", "say viewer or a number instead of everybody"],
  ])("%s", (_, reason) => {
    expect(reasons).toContainEqual(expect.stringContaining(reason));
  });

  test("is ignored, and all else is served", async () => {
    expect(reasons).toHaveLength(5);
    const fields = service.app.schema.getSubscriptionType()?.getFields();
    expect(fields).not.toHaveProperty("commentAdded");
    expect(fields).toHaveProperty("commentDeleted");
    expect(await service.ask("{ me { name } }", { as: "ada" })).toEqual({ data: { me: { name: "Ada" } } });
  });

  test("fails a build that does not ignore wrong tags", async () => {
    await expect(readSchema(service.database.apiUrl)).rejects.toThrow("@subscription comment");
  });
});

test.each([
  ["a column that is not there", "'app_public.comments', 'page_id'", "needs a column page_id"],
  ["a key that is no id", "'app_public.comments', 'text'", "integers or uuids"],
  ["a primary key of two columns", "'app_public.follows', 'follower_id'", "a primary key of one column"],
  ["a kind that is none", "'app_public.comments', 'post_id', '{moved}'", "streams_kind_check"],
  ["a function that answers nothing", "'app_public.comments', 'post_id', may_read => 'pg_catalog.int8pl'", "may_read"],
  ["deletions that nobody may be told of", "'app_public.users', 'id'", "Nothing says who may learn of deleted rows"],
])("stream() refuses %s", async (_, given, words) => {
  await expect(service.database.query(`select change_feed.stream(${given})`)).rejects.toThrow(words);
});

describe("with the stream", () => {
  let postId: string;

  beforeAll(async () => {
    expect(await migrate(migration)).toEqual([]);
  });
  beforeEach(async () => {
    postId = await makePost("PUBLISHED");
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await untilListening(0, service.app);
  });

  async function makePost(status: string): Promise<string> {
    const [post] = await service.database.query<{ id: string }>(
      "insert into app_public.posts (author_id, title, content, status) values (1, 'Post', 'Text.', $1::app_public.post_status) returning id",
      [status],
    );
    return post?.id as string;
  }

  /** @returns the ids of the new comments */
  async function comment(...texts: string[]): Promise<string[]> {
    const rows = await service.database.query<{ id: string }>(
      "insert into app_public.comments (post_id, author_id, text) select $1, 2, unnest($2::text[]) returning id",
      [postId, texts],
    );
    return rows.map(({ id }) => id);
  }

  async function connect(person: Person): Promise<RawSocket> {
    const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    sockets.push(socket);
    const payload = person === "nobody" ? {} : { authToken: await service.tokenOf(person) };
    socket.say({ type: "connection_init", payload });
    await socket.messages.next();
    return socket;
  }

  const queries = {
    Added:
      "subscription ($postId: ID!, $after: ID) { commentAdded(postId: $postId, after: $after) { id text author { name } } }",
    Updated: "subscription ($postId: ID!, $after: ID) { commentUpdated(postId: $postId, after: $after) { id text } }",
    Deleted: "subscription ($postId: ID!, $after: ID) { commentDeleted(postId: $postId, after: $after) { id } }",
  };

  /** Opens a socket that follows the post's comments. */
  async function follow(
    person: Person,
    { kind = "Added" as keyof typeof queries, after = undefined as string | undefined, post = postId } = {},
  ): Promise<RawSocket> {
    const socket = await connect(person);
    socket.say({ type: "subscribe", id: "1", payload: { query: queries[kind], variables: { postId: post, after } } });
    return socket;
  }

  async function texts({ messages }: RawSocket, count: number): Promise<string[]> {
    return (await messages.take(count)).map(
      ({ payload }) => Object.values<{ text: string }>(payload.data)[0]?.text ?? "",
    );
  }

  async function errorOf({ messages }: RawSocket): Promise<{ code: string; validationErrors?: object[] }> {
    const { type, payload } = await messages.next();
    expect(type).toBe("error");
    return payload[0].extensions;
  }

  test("a comment arrives with what was selected, whether the API or plain SQL adds it, to anonymous clients too", async () => {
    const listeners = await Promise.all((["nobody", "bob"] as const).map((person) => follow(person)));
    await untilListening(2, service.app);
    const mutation =
      "mutation ($postId: ID!, $text: String!) { createComment(input: { postId: $postId, text: $text }) { id } }";
    const { data } = await service.ask(mutation, { variables: { postId, text: "By the API" }, as: "bob" });
    const [id] = await comment("By SQL");
    for (const { messages } of listeners) {
      expect((await messages.take(2)).map(({ payload }) => payload.data)).toEqual([
        { commentAdded: { id: data?.createComment.id, text: "By the API", author: { name: "Bob" } } },
        { commentAdded: { id, text: "By SQL", author: { name: "Bob" } } },
      ]);
    }
  });

  test("what is selected from the row may be conditional", async () => {
    const socket = await connect("bob");
    const query = `subscription ($postId: ID!, $isLong: Boolean!) {
      ...Added ... on Subscription { commentAdded(postId: $postId) { text } }
    } fragment Added on Subscription { commentAdded(postId: $postId) { id @include(if: $isLong) ... @skip(if: true) { text } } }`;
    for (const isLong of [true, false]) {
      socket.say({ type: "subscribe", id: String(isLong), payload: { query, variables: { postId, isLong } } });
    }
    await untilListening(2, service.app);
    const [id] = await comment("Short");
    const results = (await socket.messages.take(2)).map((message) => [message.id, message.payload.data.commentAdded]);
    expect(Object.fromEntries(results)).toEqual({ true: { id, text: "Short" }, false: { text: "Short" } });
  });

  test("nothing is missing or doubled while the listening connection is killed, and after a reconnection with `after`", async () => {
    const [first] = await comment("0");
    const socket = await follow("bob", { after: first as string });
    await untilListening(1, service.app);
    const written = Array.from({ length: 60 }, (_, index) => String(index + 1));
    for (const [index, text] of written.entries()) {
      if (index % 20 === 10) await killListeners(service.database);
      await comment(text);
    }
    expect(await texts(socket, 60)).toEqual(written);
    const last = socket.messages.all.at(-40)?.payload.data.commentAdded;
    const again = await follow("nobody", { after: last.id });
    expect(await texts(again, 39)).toEqual(written.slice(21));
  });

  test("`after` may be a comment from before there was a stream", async () => {
    // No trigger records it.
    await service.database.query(`begin; set local session_replication_role = replica;
      insert into app_public.comments (post_id, author_id, text) values (${postId}, 2, 'Old'); commit`);
    const [old] = await service.database.query<{ id: string }>("select max(id) as id from app_public.comments");
    await comment("New");
    expect(await texts(await follow("bob", { after: old?.id as string }), 1)).toEqual(["New"]);
  });

  describe("rights", () => {
    test("a draft answers as a post that is not there; its author and an admin follow what policies show them", async () => {
      const draft = await makePost("DRAFT");
      for (const person of ["nobody", "bob"] as const) {
        for (const post of [draft, "999999999", "abc"]) {
          expect(await errorOf(await follow(person, { post }))).toEqual({ code: "NOT_FOUND" });
        }
      }
      postId = draft;
      const socket = await follow("ada", { post: draft });
      await untilListening(1, service.app);
      await comment("To myself");
      expect(await texts(socket, 1)).toEqual(["To myself"]);
    });

    test("a post that becomes a draft stops: no comment of it is sent to others, of any kind", async () => {
      const others = await Promise.all(
        (["bob", "nobody"] as const).flatMap((person) =>
          (["Added", "Updated", "Deleted"] as const).map((kind) => follow(person, { kind })),
        ),
      );
      const author = await follow("ada");
      await untilListening(7, service.app);
      const [id] = await comment("Public");
      expect(await texts(author, 1)).toEqual(["Public"]);
      await service.database.query("update app_public.posts set status = 'DRAFT' where id = $1", [postId]);
      await comment("Secret");
      expect(await texts(author, 1)).toEqual(["Secret"]);
      await service.database.query("update app_public.comments set text = 'Secret, too' where id = $1", [id]);
      await service.database.query("delete from app_public.comments where id = $1", [id]);
      for (const socket of others) {
        const results = socket.messages.all.filter(({ type }) => type === "next");
        expect(JSON.stringify(results)).not.toContain("Secret");
        while ((await socket.messages.next()).type === "next");
        expect(socket.messages.all.at(-1)).toMatchObject({
          type: "error",
          payload: [{ extensions: { code: "UNAUTHORIZED", reason: "FORBIDDEN" } }],
        });
      }
    });

    test("a banned user's socket is closed", async () => {
      expect(await (await follow("mallory")).closed).toBe(4403);
    });

    test("a row that the policies hide is left out, and the others arrive", async () => {
      await service.database.query(`
        create policy hide_whispers on app_public.comments as restrictive for select to api_member, api_anonymous
          using (text !~ '^Whisper' or author_id = (select app_hidden.viewer_id()))`);
      try {
        const [writer, other, nobody] = await Promise.all(
          (["bob", "ada", "nobody"] as const).map((person) => follow(person)),
        );
        await untilListening(3, service.app);
        await comment("Aloud", "Whisper", "Aloud again");
        expect(await texts(writer as RawSocket, 3)).toEqual(["Aloud", "Whisper", "Aloud again"]);
        expect(await texts(other as RawSocket, 2)).toEqual(["Aloud", "Aloud again"]);
        expect(await texts(nobody as RawSocket, 2)).toEqual(["Aloud", "Aloud again"]);
      } finally {
        await service.database.query("drop policy hide_whispers on app_public.comments");
      }
    });
  });

  describe("updated and deleted", () => {
    test("an update sends the row, and a number to go on from; a deletion sends the id", async () => {
      const [one, two] = (await comment("One", "Two")) as [string, string];
      const [updates, deletions] = [await follow("bob", { kind: "Updated" }), await follow("bob", { kind: "Deleted" })];
      await untilListening(2, service.app);
      const write = (text: string, id: string) =>
        service.database.query("update app_public.comments set text = $1 where id = $2", [text, id]);
      await write("One, changed", one);
      const first = await updates.messages.next();
      expect(first.payload).toEqual({
        data: { commentUpdated: { id: one, text: "One, changed" } },
        extensions: { after: expect.stringMatching(/^\d+\.[\da-z]+$/) },
      });
      await write("Two, changed", two);
      await write("One, again", one);
      expect(await texts(updates, 2)).toEqual(["Two, changed", "One, again"]);
      const resumed = await follow("bob", { kind: "Updated", after: first.payload.extensions.after });
      expect(await texts(resumed, 2)).toEqual(["Two, changed", "One, again"]);

      await service.database.query("delete from app_public.comments where id = $1", [one]);
      await service.database.query("delete from app_public.comments where id = $1", [two]);
      expect((await deletions.messages.take(2)).map(({ payload }) => payload.data)).toEqual([
        { commentDeleted: { id: one } },
        { commentDeleted: { id: two } },
      ]);
      const rest = await follow("bob", { kind: "Deleted", after: one });
      expect((await rest.messages.next()).payload.data).toEqual({ commentDeleted: { id: two } });
    });

    test("a comment that is moved to another post is deleted from the one and added to the other", async () => {
      const [id] = (await comment("Moving")) as [string];
      const from = await follow("bob", { kind: "Deleted" });
      const post = await makePost("PUBLISHED");
      const to = await follow("bob", { post });
      await untilListening(2, service.app);
      await service.database.query("update app_public.comments set post_id = $1 where id = $2", [post, id]);
      expect((await from.messages.next()).payload.data).toEqual({ commentDeleted: { id } });
      expect(await texts(to, 1)).toEqual(["Moving"]);
    });
  });

  test("an event that is no longer kept is refused as `after`; the newest one of all is not", async () => {
    const [old, newest] = (await comment("Old", "Newest")) as [string, string];
    await service.database.query("update change_feed.stream_events set created_at = now() - interval '8 days'");
    const run = () => service.database.query("select * from app_private.run_job('stream_events')");
    expect(await run()).not.toEqual([{ is_complete: true, rows: 0 }]);
    expect(await run()).toEqual([{ is_complete: true, rows: 0 }]);
    expect(await errorOf(await follow("bob", { after: old }))).toMatchObject({
      code: "POSITION_LOST",
    });
    const socket = await follow("bob", { after: newest });
    await comment("Newer");
    expect(await texts(socket, 1)).toEqual(["Newer"]);
  });

  test("a wake-up is one statement for all, and the row is read once for each role", async () => {
    const crowd: Person[] = ["nobody", "ada", "bob", "admin"].flatMap((person) =>
      Array<Person>(5).fill(person as Person),
    );
    const listeners = await Promise.all(crowd.map((person) => follow(person)));
    await untilListening(crowd.length, service.app);
    expect(await readsOf(listeners)).toBeLessThanOrEqual(readsForRoles);
  });

  test("with a function that says who may read a key, all share the read of the row", async () => {
    await service.database.query(`
      create function app_private.post_reading(key bigint, viewer_id bigint) returns table (may_read boolean)
        language sql stable rows 1 as $$ select status = 'PUBLISHED' from app_public.posts where id = key $$`);
    const byFunction =
      "select change_feed.stream('app_public.comments', 'post_id', may_read => 'app_private.post_reading')";
    expect(await migrate(byFunction)).toEqual([]);
    expect((await errorOf(await follow("ada", { post: await makePost("DRAFT") }))).code).toBe("NOT_FOUND");
    const listeners = await Promise.all((["ada", "bob", "admin", "nobody"] as const).map((person) => follow(person)));
    await untilListening(4, service.app);
    expect(await readsOf(listeners)).toBeLessThanOrEqual(readsForRoles);
  });

  /** For each role, a read of the row, and a look whether it is still the same. */
  const readsForRoles = 4;

  /** Adds a comment that all receive. @returns how many statements of callers each wake-up of the listeners takes */
  async function readsOf(listeners: RawSocket[]): Promise<number> {
    // Those that have just subscribed read alone until they have caught up.
    await comment("First");
    await Promise.all(listeners.map(({ messages }) => messages.next()));
    const statements = await recordStatements(async () => {
      await comment("To all");
      await Promise.all(listeners.map(({ messages }) => messages.next()));
    });
    const wakeUps = statements.filter(({ text }) => text.includes("read_streams")).length;
    // A heartbeat may come in between.
    expect([1, 2]).toContain(wakeUps);
    // What the service asks for itself, at any time, has no caller.
    const reads = statements.filter(({ identity }) => identity).length;
    expect(reads).toBeGreaterThan(0);
    return reads / wakeUps;
  }
});
