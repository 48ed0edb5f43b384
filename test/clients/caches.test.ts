import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gql } from "@apollo/client";
import { buildSchema, parse, print, validate } from "graphql";
import type { Client as SocketClient } from "graphql-ws";
import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  type Environment,
  fetchQuery,
  getRequest,
  type MutationParameters,
  type OperationType,
  requestSubscription,
} from "relay-runtime";
import { WebSocket } from "ws";
import { untilListening, useService } from "../support/service.ts";
import { until } from "../support/until.ts";
import appCommentDeletedSubscription, {
  type AppCommentDeletedSubscription,
} from "./relay/__generated__/AppCommentDeletedSubscription.graphql.ts";
import appCommentMutation, { type AppCommentMutation } from "./relay/__generated__/AppCommentMutation.graphql.ts";
import appCommentSubscription, {
  type AppCommentSubscription,
} from "./relay/__generated__/AppCommentSubscription.graphql.ts";
import appCommentsQuery, { type AppCommentsQuery } from "./relay/__generated__/AppCommentsQuery.graphql.ts";
import appCreateMutation, { type AppCreateMutation } from "./relay/__generated__/AppCreateMutation.graphql.ts";
import appDeleteMutation, { type AppDeleteMutation } from "./relay/__generated__/AppDeleteMutation.graphql.ts";
import appPostsQuery, { type AppPostsQuery } from "./relay/__generated__/AppPostsQuery.graphql.ts";
import appQuery, { type AppQuery } from "./relay/__generated__/AppQuery.graphql.ts";
import appUserQuery, { type AppUserQuery } from "./relay/__generated__/AppUserQuery.graphql.ts";
import { apolloClient } from "./snippets/apollo.ts";
import { socketClient } from "./snippets/chatByWebSocket.ts";
import { cachedUrqlClient } from "./snippets/graphcache.ts";
import { relayEnvironment } from "./snippets/relay.ts";
import type { Session } from "./snippets/session.ts";

/* Clients with a normalized cache, set up as docs/libraries.md says: Relay with the types of its compiler, and urql's graphcache. */
const service = useService();
const sessionOf = (person: "ada" | "bob") => ({ accessToken: () => service.tokenOf(person) }) as unknown as Session;
const ada = sessionOf("ada");
let sockets: SocketClient;

beforeAll(() => {
  sockets = newSockets(ada);
});

function newSockets(session: Session): SocketClient {
  const opened = socketClient(service.url, session, WebSocket);
  service.database.ends.defer(() => opened.dispose());
  return opened;
}

// The output of Relay's compiler is committed, because relay-compiler brings 120 MB of programs for all systems.
const relay = new URL("relay/", import.meta.url);
const operations = {
  comment: appCommentMutation,
  commentAdded: appCommentSubscription,
  commentDeleted: appCommentDeletedSubscription,
  comments: appCommentsQuery,
  create: appCreateMutation,
  drop: appDeleteMutation,
  posts: appPostsQuery,
  start: appQuery,
  user: appUserQuery,
};

beforeEach(async () => {
  await service.database.query(`
    set local app.is_import = on; truncate app_public.posts restart identity cascade; set local app.is_import = off;
    insert into app_public.posts (author_id, title, content, status, published_at)
      select 1, 'Post ' || n, 'Content.', 'PUBLISHED', timestamptz '2026-11-01 12:00Z' - n * interval '1 hour'
        from generate_series(1, 5) as n`);
});

describe("Relay", () => {
  test("the compiled operations are current and fit the schema", () => {
    const command = "cd test/clients/relay && npx relay-compiler@21";
    const sources = readFileSync(new URL("App.ts", relay), "utf8").matchAll(/graphql`(.*?)`/gs);
    const hashes = [...sources].map(([, text = ""]) =>
      createHash("md5")
        .update(print(parse(text)))
        .digest("hex"),
    );
    const folder = new URL("__generated__/", relay);
    const written = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
    const found = written.map((text) => /\.hash = "(\w+)"/.exec(text)?.[1]);
    expect([command, new Set(found)]).toEqual([command, new Set(hashes)]);
    const schema = buildSchema(readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8"));
    const texts = Object.values(operations).flatMap(({ params }) => params.text ?? []);
    expect(texts).toHaveLength(Object.keys(operations).length);
    expect(texts.flatMap((text) => validate(schema, parse(text)))).toEqual([]);
  });

  const run = async <Query extends OperationType>(
    environment: Environment,
    query: ConcreteRequest,
    variables: Query["variables"],
  ): Promise<Query["response"] | undefined> => {
    // The store keeps what an operation reads only while somebody retains it.
    environment.retain(createOperationDescriptor(getRequest(query), variables));
    return fetchQuery<Query>(environment, query, variables).toPromise();
  };
  /** The records of a type in the store, by their ids there. */
  const recordsOf = (environment: Environment, type: string) =>
    Object.entries(
      environment.getStore().getSource().toJSON() as Record<string, Record<string, unknown> | null>,
    ).filter(([, record]) => record?.["__typename"] === type);
  const postsOfApp = "client:root:__App_postsConnection_connection";
  const titles = (environment: Environment, connectionId = postsOfApp, field = "title") => {
    const source = environment.getStore().getSource();
    const connection = source.get(connectionId) as unknown as { edges: { __refs: string[] } };
    return connection.edges.__refs.map((edge) => {
      const node = (source.get(edge) as unknown as { node: { __ref: string } | null }).node;
      return node && ((source.get(node.__ref) as unknown as Record<string, string> | null)?.[field] ?? null);
    });
  };
  const mutate = <Mutation extends MutationParameters>(
    environment: Environment,
    mutation: ConcreteRequest,
    variables: Mutation["variables"],
  ) =>
    new Promise<Mutation["response"]>((onCompleted, onError) => {
      commitMutation<Mutation>(environment, { mutation, variables, onCompleted, onError });
    });

  test("tells records of two types with the same id apart", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    const data = await run<AppQuery>(environment, operations.start, {});
    expect(data).toMatchObject({ user: { id: "1", name: "Ada" } });
    expect(recordsOf(environment, "User")).toMatchObject([[expect.any(String), { id: "1", name: "Ada" }]]);
    expect(recordsOf(environment, "Post").map(([, { id, title } = {} as any]) => [id, title])).toEqual([
      ["1", "Post 1"],
      ["2", "Post 2"],
    ]);
  });

  test("pages through a connection", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    await run<AppQuery>(environment, operations.start, {});
    expect(titles(environment)).toEqual(["Post 1", "Post 2"]);
    for (const expected of [4, 5]) {
      const { pageInfo } = environment.getStore().getSource().toJSON()[
        "client:root:__App_postsConnection_connection"
      ] as any;
      const { endCursor } = environment.getStore().getSource().toJSON()[pageInfo.__ref] as any;
      await run<AppPostsQuery>(environment, operations.posts, { count: 2, cursor: endCursor });
      expect(titles(environment)).toEqual(Array.from({ length: expected }, (_, i) => `Post ${i + 1}`));
    }
  });

  test("refetches one record by node(nodeId:)", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    await run<AppQuery>(environment, operations.start, {});
    const [[nodeId] = []] = recordsOf(environment, "User");
    await service.database.query(`update app_public.users set bio = 'Writes.' where id = 1`);
    await run<AppUserQuery>(environment, operations.user, { nodeId: String(nodeId) });
    expect(recordsOf(environment, "User")).toMatchObject([[nodeId, { bio: "Writes.", name: "Ada" }]]);
  });

  test("removes a deleted record, and no record of another type with its id", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    await run<AppQuery>(environment, operations.start, {});
    await mutate<AppDeleteMutation>(environment, operations.drop, { id: "1", connections: [postsOfApp] });
    expect(titles(environment)).toEqual(["Post 2"]);
    expect(recordsOf(environment, "User")).toHaveLength(1);
  });

  test("puts a new post on top of its list, by a directive alone", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    await run<AppQuery>(environment, operations.start, {});
    const input = { title: "New", content: "Content.", status: "PUBLISHED" } as const;
    const created = await mutate<AppCreateMutation>(environment, operations.create, {
      input,
      connections: [postsOfApp],
    });
    expect(created.createPost?.title).toBe("New");
    expect(titles(environment)).toEqual(["New", "Post 1", "Post 2"]);
  });

  test("adds comments to their list as they come, one’s own once, also after a broken connection, and removes deleted ones, by directives alone", async () => {
    const environment = relayEnvironment(service.url, ada, sockets);
    const data = await run<AppCommentsQuery>(environment, operations.comments, { id: "1" });
    expect(data?.post?.commentsCount).toBe(0);
    // @ts-expect-error The types are of what the query selects.
    expect(data?.post?.slug).toBeUndefined();
    const connections = [data?.post?.commentsConnection?.__id as string];
    const subscriptions = [
      requestSubscription<AppCommentSubscription>(environment, {
        subscription: operations.commentAdded,
        variables: { postId: "1", after: "0", connections },
      }),
      requestSubscription<AppCommentDeletedSubscription>(environment, {
        subscription: operations.commentDeleted,
        variables: { postId: "1", after: "0", connections },
      }),
    ];
    const comment = (text: string) =>
      service.database.query("insert into app_public.comments (post_id, author_id, text) values (1, 2, $1)", [text]);
    const shown = (texts: string[]) =>
      until(() => String(titles(environment, connections[0], "text")) === String(texts));
    await comment("First");
    await shown(["First"]);
    sockets.terminate();
    await untilListening(0, service.app);
    await comment("Second");
    await shown(["First", "Second"]);
    expect(recordsOf(environment, "Post")).toMatchObject([[expect.any(String), { commentsCount: 2 }]]);
    await service.database.query("delete from app_public.comments where text = 'First'");
    await shown(["Second"]);
    expect(recordsOf(environment, "Post")).toMatchObject([[expect.any(String), { commentsCount: 1 }]]);
    const input = { postId: "1", text: "Own" };
    // The event brings it, too.
    await mutate<AppCommentMutation>(environment, operations.comment, { input, connections });
    await comment("Third");
    await shown(["Second", "Own", "Third"]);
    for (const { dispose } of subscriptions) dispose();
    await untilListening(0, service.app);
  });
});

/** Selects each type that has no id of its own. */
const withoutIds = `query Parts {
  me { id followers { count } inboxConnection(first: 5) { edges { node { chatId chat { id title } } } } }
  searchConnection(text: "post", first: 3) { edges { node { titleHtml rank post { id title } } } }
}`;
const follow =
  "mutation Follow { followUser(userId: 2) { user { id followers { count } } viewer { id following { count } } } }";
const account = 'email: "cached@example.com", password: "a password of some length"';
const signIn = `mutation In {
  createUser(name: "Cached", ${account}) { id }
  signIn(${account}) { accessToken user { id name } }
  requestEmailVerification { success }
}`;

describe("types without an id", () => {
  beforeEach(async () => {
    await service.database.query(`
      set local app.is_import = on; truncate app_public.chats, app_public.follows restart identity cascade; set local app.is_import = off;
      insert into app_public.chats (title) values ('One'), ('Two');
      insert into app_public.chat_members (chat_id, user_id) select id, 1 from app_public.chats`);
  });
  const seen = (data: any) => [
    data.me.inboxConnection.edges.map(({ node }: any) => node.chat.title),
    data.searchConnection.edges.map(({ node }: any) => node.post.id),
  ];
  const expected = [
    ["Two", "One"],
    ["5", "4", "3"],
  ];

  test("Apollo Client keeps each apart, and an inbox entry by its chat", async () => {
    const client = apolloClient(service.url, ada, undefined as never);
    const { data } = await client.query({ query: gql(withoutIds) });
    expect(seen(data)).toEqual(expected);
    expect(Object.keys(client.cache.extract() as object)).toContain('InboxEntry:{"chatId":"1"}');
    await client.mutate({ mutation: gql(follow) });
    expect(client.cache.extract()).toMatchObject({ "User:1": { followers: { count: 0 }, following: { count: 1 } } });
    await client.mutate({ mutation: gql("mutation Drop { deletePost(id: 1) { id success } }") });
    expect(Object.keys(client.cache.extract() as object).filter((key) => /Result|Summary/.test(key))).toEqual([]);
  });

  test("graphcache has a key, or none on purpose, for each", async () => {
    const warned: unknown[] = [];
    const { warn } = console;
    console.warn = (...words) => void warned.push(words);
    try {
      const client = cachedUrqlClient(service.url, ada);
      const { data } = await client.query(withoutIds, {});
      expect(seen(data)).toEqual(expected);
      await client.mutation(follow, {});
      const { data: signedIn } = await client.mutation(signIn, {});
      expect(signedIn.signIn.user.name).toBe("Cached");
      await client.mutation("mutation Drop { deletePost(id: 1) { id success } }", {});
    } finally {
      console.warn = warn;
    }
    expect(warned).toEqual([]);
  });
});

describe("urql’s graphcache", () => {
  const postsQuery = `query Posts($after: Cursor) {
    postsConnection(first: 2, after: $after) {
      edges { node { id title author { id name followers { count } } } }
      pageInfo { hasNextPage endCursor }
    }
  }`;
  const titlesOf = (data: any) => data.postsConnection.edges.map(({ node }: any) => node.title);

  test("keys records by type and id, and answers from the cache", async () => {
    const client = cachedUrqlClient(service.url, ada);
    const first = await client.query(postsQuery, {});
    expect([first.error, titlesOf(first.data)]).toEqual([undefined, ["Post 1", "Post 2"]]);
    expect(first.data.postsConnection.edges[0].node.author.name).toBe("Ada");
    const before = service.logged.length;
    const known = await client.query("query One { user(id: 1) { id name } }", {});
    expect(known.data).toMatchObject({ user: { id: "1", name: "Ada" } });
    expect(titlesOf((await client.query(postsQuery, {})).data)).toEqual(["Post 1", "Post 2"]);
    expect(service.logged.slice(before).filter(({ operation }) => operation === "Posts")).toEqual([]);
  });

  test("shows a comment that another window edits", async () => {
    await service.database.query("insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Frist')");
    const client = cachedUrqlClient(service.url, ada);
    const comments = "query Comments { post(id: 1) { id comments { id text } } }";
    const texts = () => client.readQuery(comments, {})?.data.post.comments.map(({ text }: any) => text);
    await client.query(comments, {});
    expect(texts()).toEqual(["Frist"]);
    const edited = `subscription Edited { commentUpdated(postId: "1", after: "0") { id text } }`;
    const { unsubscribe } = client.subscription(edited, {}).subscribe(() => {});
    await service.database.query("update app_public.comments set text = 'First'");
    await until(() => texts()?.[0] === "First");
    unsubscribe();
    await untilListening(0, service.app);
  });

  test("joins pages, and drops a deleted post", async () => {
    const client = cachedUrqlClient(service.url, ada);
    const { data } = await client.query(postsQuery, {});
    const next = await client.query(postsQuery, { after: data.postsConnection.pageInfo.endCursor });
    expect(titlesOf(next.data)).toEqual(["Post 1", "Post 2", "Post 3", "Post 4"]);
    const gone = await client.mutation("mutation Drop { deletePost(id: 1) { success id } }", {});
    expect(gone.data).toMatchObject({ deletePost: { success: true, id: "1" } });
    const after = await client.query(postsQuery, {}, { requestPolicy: "network-only" });
    expect(titlesOf(after.data)).not.toContain("Post 1");
  });
});

type Hear = (data: any) => void;
interface CachingClient {
  /** How a query selects a list whose rows the cache keeps. */
  list(fields: string): string;
  open(session: Session): {
    watch(query: string, hear: Hear): { unsubscribe(): void };
    subscribe(subscription: string, hear: Hear): { unsubscribe(): void };
    mutate(mutation: string): Promise<unknown>;
    load(query: string, variables: Record<string, unknown>): Promise<unknown>;
  };
}

const pageInfo = "pageInfo { hasNextPage endCursor }";
const cachingClients: Record<string, CachingClient> = {
  "Apollo Client": {
    list: (fields) => `{ edges { node { ${fields} } } ${pageInfo} }`,
    open(session) {
      const client = apolloClient(service.url, session, newSockets(session));
      return {
        watch: (query, hear) => client.watchQuery({ query: gql(query) }).subscribe(({ data }) => hear(data)),
        subscribe: (query, hear) => client.subscribe({ query: gql(query) }).subscribe(({ data }) => hear(data)),
        mutate: (mutation) => client.mutate({ mutation: gql(mutation) }),
        load: (query, variables) => client.query({ query: gql(query), variables, fetchPolicy: "network-only" }),
      };
    },
  },
  graphcache: {
    list: (fields) => `{ nodes { ${fields} } ${pageInfo} }`,
    open(session) {
      const client = cachedUrqlClient(service.url, session);
      return {
        watch: (query, hear) => client.query(query, {}).subscribe(({ data }) => hear(data)),
        subscribe: (query, hear) => client.subscription(query, {}).subscribe(({ data }) => hear(data)),
        mutate: (mutation) => client.mutation(mutation, {}).toPromise(),
        load: (query, variables) => client.query(query, variables).toPromise(),
      };
    },
  },
};

describe.each(Object.entries(cachingClients))("two windows with %s, without an updater", (_name, { list, open }) => {
  const subscriptions: { unsubscribe(): void }[] = [];
  const windows = () => [open(ada), open(sessionOf("bob"))] as const;
  type Window = ReturnType<typeof open>;

  beforeEach(async () => {
    await service.database.query(`
      set local app.is_import = on; truncate app_public.chats restart identity cascade; set local app.is_import = off;
      insert into app_public.chats (title) values ('One'), ('Two');
      insert into app_public.chat_members (chat_id, user_id) select id, person from app_public.chats, (values (1), (2)) as people (person);
      insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Old')`);
  });
  afterEach(async () => {
    for (const subscription of subscriptions.splice(0)) subscription.unsubscribe();
    await untilListening(0, service.app);
  });

  /** Shows a query. @returns what is shown, as soon as it is: the texts of each list */
  async function show(window: Window, query: string): Promise<() => Record<string, string[]>> {
    let shown: any;
    subscriptions.push(
      window.watch(query, (data) => {
        shown = data ?? shown;
      }),
    );
    await until(() => shown !== undefined);
    const lists = (value: any): [string, string[]][] =>
      Object.entries(value ?? {}).flatMap(([name, field]: [string, any]) => {
        const rows = field?.nodes ?? field?.edges?.map(({ node }: any) => node);
        if (!rows) return typeof field === "object" ? lists(field) : [];
        return [[name, rows.map(({ text, title, chat }: any) => text ?? title ?? chat.title)]];
      });
    return () => Object.fromEntries(lists(shown));
  }

  /** Subscribes. @returns the events */
  function follow(window: Window, subscription: string): any[] {
    const events: any[] = [];
    subscriptions.push(window.subscribe(subscription, (data) => events.push(Object.values(data ?? {})[0])));
    return events;
  }

  const tell = () =>
    service.database.query(
      "update app_private.inbox_changes set due_at = '-infinity'; select app_hidden.record_inbox_changes()",
    );
  const are = (screens: (() => object)[], lists: object) =>
    until(() => screens.every((screen) => JSON.stringify(screen()) === JSON.stringify(lists)));

  test("a comment is there once, also one’s own, in its place, and a deleted one nowhere", async () => {
    const [one, other] = windows();
    const fields = "id text post { id commentsCount } replyTo { id }";
    const query = `query Comments($after: Cursor) { post(id: 1) {
      id commentsCount commentsConnection(first: 2, after: $after) ${list(fields)}
    } }`;
    const screens = await Promise.all([show(one, query), show(other, query)]);
    const events = [one, other].map((window) =>
      follow(window, `subscription Added { commentAdded(postId: 1) { ${fields} } }`),
    );
    for (const window of [one, other]) {
      follow(window, "subscription Gone { commentDeleted(postId: 1) { id post { id commentsCount } } }");
    }
    await untilListening(4, service.app);
    const shown = (...commentsConnection: string[]) => are(screens, { commentsConnection });
    await one.mutate(`mutation Say { createComment(input: { postId: 1, text: "Mine" }) { ${fields} } }`);
    await until(() => events.every(({ length }) => length === 1));
    await shown("Old", "Mine");
    await other.mutate("mutation Drop { deleteComment(id: 1) { id post { id commentsCount } } }");
    await shown("Mine");
  });

  test("a new comment below a list that is not loaded to its end is there once, when it is", async () => {
    await service.database.query(
      "insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Older'), (1, 2, 'Oldest')",
    );
    const [one] = windows();
    const fields = "id text post { id commentsCount } replyTo { id }";
    const query = `query Comments($after: Cursor) { post(id: 1) {
      id commentsCount commentsConnection(first: 2, after: $after) ${list(fields)}
    } }`;
    const { data } = await service.ask(
      "query Cursor { post(id: 1) { commentsConnection(first: 2) { pageInfo { endCursor } } } }",
    );
    const screen = await show(one, query);
    await one.mutate(`mutation Say { createComment(input: { postId: 1, text: "Mine" }) { ${fields} } }`);
    await one.load(query, { after: data.post.commentsConnection.pageInfo.endCursor });
    await are([screen], { commentsConnection: ["Old", "Older", "Oldest", "Mine"] });
  });

  test("the latest chat is on top of the inbox, and one that was left nowhere; a message is there once", async () => {
    const [one, other] = windows();
    const entry = "chatId user { id } chat { id title lastActivityAt unreadCount }";
    const message = "id text chat { id }";
    const query = `query Inbox {
      me { id inboxConnection(first: 20) ${list(entry)} }
      chat(id: 1) { id messagesConnection(first: 20) ${list(message)} }
    }`;
    const screens = await Promise.all([show(one, query), show(other, query)]);
    await are(screens, { inboxConnection: ["Two", "One"], messagesConnection: [] });
    const events = [one, other].map((window) =>
      follow(window, `subscription Added { messageAdded(chatId: 1) { ${message} } }`),
    );
    const [changes] = [one, other].map((window) =>
      follow(window, `subscription Changed { inboxEntryChanged { ${entry} } }`),
    ) as [any[]];
    for (const window of [one, other]) {
      follow(window, "subscription Left { chatLeft { id user { id } } }");
    }
    await untilListening(6, service.app);
    await one.mutate(`mutation Say { sendMessage(chatId: 1, text: "Hi") { ${message} } }`);
    await other.mutate(`mutation Reply { sendMessage(chatId: 1, text: "Hello") { ${message} } }`);
    await until(() => events.every(({ length }) => length === 2));
    await tell();
    await are(screens, { inboxConnection: ["One", "Two"], messagesConnection: ["Hello", "Hi"] });
    await other.mutate("mutation Leave { leaveChat(chatId: 2) { id } }");
    await are(screens.slice(1), { inboxConnection: ["One"], messagesConnection: ["Hello", "Hi"] });
    // A change of its members, and reading, are no activity.
    await one.mutate("mutation Read { markChatRead(chatId: 1, messageId: 2) { id } }");
    await tell();
    await until(() => changes.some(({ chatId, chat }) => chatId === "1" && chat.unreadCount === 0));
    await are(screens.slice(0, 1), { inboxConnection: ["One", "Two"], messagesConnection: ["Hello", "Hi"] });
  });

  test("a new post is on top, also of a filtered list, and a deleted one nowhere; the next page has each once", async () => {
    const [one, other] = windows();
    const fields = "id title author { id }";
    const query = `query Posts($after: Cursor) { postsConnection(first: 2, after: $after) ${list(fields)} }`;
    const { data } = await service.ask("query Cursor { postsConnection(first: 2) { pageInfo { endCursor } } }");
    const screens = await Promise.all([show(one, query), show(other, query)]);
    const drafts = await show(one, `query Drafts { postsConnection(first: 2, status: DRAFT) ${list("id title")} }`);
    const shown = (...postsConnection: string[]) => are(screens, { postsConnection });
    await shown("Post 1", "Post 2");
    const events = follow(other, `subscription Published { postPublished(authorId: 1) { ${fields} } }`);
    await untilListening(1, service.app);
    const create = (title: string, status: string) =>
      one.mutate(
        `mutation Create { createPost(input: { title: "${title}", content: "Text.", status: ${status} }) { ${fields} } }`,
      );
    await create("New", "PUBLISHED");
    await until(() => events.length === 1);
    await shown("New", "Post 1", "Post 2");
    screens.pop();
    await create("Idea", "DRAFT");
    await shown("Idea", "New", "Post 1", "Post 2");
    await are([drafts], { postsConnection: ["Idea"] });
    await one.load(query, { after: data.postsConnection.pageInfo.endCursor });
    await shown("Idea", "New", "Post 1", "Post 2", "Post 3", "Post 4");
    await one.mutate("mutation Drop { deletePost(id: 1) { id } }");
    await shown("Idea", "New", "Post 2", "Post 3", "Post 4");
  });
});
