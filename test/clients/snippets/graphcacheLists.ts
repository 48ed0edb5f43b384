import type { Cache, DataField, Entity, UpdateResolver, UpdatesConfig } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";

/** A list: the field of a record that leads to the list's owner, or null for Query, and the list's name. */
type List = [owner: string | null, name: string];
type Order = "newest first" | "oldest first" | "latest activity first" | "on top";

/** A page of a list that is loaded. */
interface Page {
  /** Null where the query does not select `nodes`. */
  nodes: string[] | null;
  isFirst: boolean;
  isLast: boolean;
  isFiltered: boolean;
  link(nodes: string[]): void;
  loadAgain(): void;
}

function pagesOf(cache: Cache, record: DataField, [owner, name]: List): Page[] {
  const of =
    owner === null ? "Query" : cache.keyOfEntity(((record as Record<string, unknown>)[owner] ?? null) as Entity);
  if (!of) return [];
  const fields = cache.inspectFields(of).filter(({ fieldName }) => fieldName === name);
  return fields.map(({ fieldKey, arguments: args }) => {
    const { first: _first, last: _last, after, before, ...filters } = args ?? {};
    const page = cache.resolve(of, fieldKey) as string;
    const info = cache.resolve(page, "pageInfo") as string | undefined;
    return {
      nodes: (cache.resolve(page, "nodes") as string[] | undefined) ?? null,
      isFirst: !after && !before,
      isLast: !info || cache.resolve(info, "hasNextPage") === false,
      isFiltered: Object.values(filters).some((filter) => filter !== null && filter !== undefined),
      link: (nodes) => cache.link(page, "nodes", nodes),
      loadAgain: () => cache.invalidate(of, fieldKey),
    };
  });
}

/** Puts what a mutation or an event brings into lists that are loaded, once, and in its place. A list with a filter is loaded again. */
function joins(order: Order, ...lists: List[]): UpdateResolver {
  return (result, _args, cache, { fieldName }) => {
    const record = result[fieldName] ?? null;
    const key = cache.keyOfEntity(record as Entity);
    if (!key) return;
    const rankOf = (node: string) =>
      order === "latest activity first"
        ? String(cache.resolve(cache.resolve(node, "chat") as string, "lastActivityAt"))
        : String(cache.resolve(node, "id")).padStart(20, "0");
    const isBeyond = (node: string) =>
      order === "on top" || (order === "oldest first" ? rankOf(node) > rankOf(key) : rankOf(node) < rankOf(key));
    for (const { nodes, isFirst, isLast, isFiltered, link, loadAgain } of lists.flatMap((list) =>
      pagesOf(cache, record, list),
    )) {
      if (isFiltered || !nodes) loadAgain();
      else if (order === "oldest first" ? isLast : isFirst) {
        const others = nodes.filter((node) => node !== key);
        const at = others.findIndex(isBeyond);
        link(others.toSpliced(at < 0 ? others.length : at, 0, key));
      }
    }
  };
}

/** Removes a deleted record from these lists. What else shows it is loaded again. */
function leaves(typename: string, idName: string, ...lists: List[]): UpdateResolver {
  return (result, _args, cache, { fieldName }) => {
    const deleted = result[fieldName] as { id: string } | null;
    const key = deleted && cache.keyOfEntity({ __typename: typename, [idName]: deleted.id });
    if (!key) return;
    for (const { nodes, link } of lists.flatMap((list) => pagesOf(cache, deleted as DataField, list))) {
      if (nodes?.includes(key)) link(nodes.filter((node) => node !== key));
    }
    cache.invalidate(key);
  };
}

const comment = joins("oldest first", ["post", "commentsConnection"], ["replyTo", "repliesConnection"]);
const message = joins("newest first", ["chat", "messagesConnection"]);
const post = joins("on top", [null, "postsConnection"], ["author", "postsConnection"]);
const commentLeaves = leaves("Comment", "id", ["post", "commentsConnection"]);
const chatLeaves = leaves("InboxEntry", "chatId", ["user", "inboxConnection"]);

/**
 * Keeps the lists: new records join, and deleted ones leave. A list's query selects `nodes`; a mutation or a subscription selects what the list's
 * query selects of a record, and the `id` of the list's owner.
 */
export const updates: UpdatesConfig = {
  Mutation: {
    createComment: comment,
    createPost: post,
    sendMessage: message,
    deleteComment: commentLeaves,
    deletePost: leaves("Post", "id", [null, "postsConnection"], [null, "feedConnection"]),
    leaveChat: chatLeaves,
  },
  Subscription: {
    commentAdded: comment,
    messageAdded: message,
    notificationAdded: joins("newest first", [null, "notificationsConnection"]),
    postPublished: post,
    inboxEntryChanged: joins("latest activity first", ["user", "inboxConnection"]),
    commentDeleted: commentLeaves,
    chatLeft: chatLeaves,
  },
};

/** The pages that are loaded, as one list. */
export const resolvers = {
  Chat: { messagesConnection: relayPagination() },
  Comment: { repliesConnection: relayPagination() },
  Post: { commentsConnection: relayPagination() },
  Query: {
    feedConnection: relayPagination(),
    notificationsConnection: relayPagination(),
    postsConnection: relayPagination(),
  },
  User: { inboxConnection: relayPagination(), postsConnection: relayPagination() },
};
