import type { FieldPolicy, Reference, StoreObject, TypePolicies } from "@apollo/client";
import type { ModifierDetails } from "@apollo/client/cache";
import { relayStylePagination } from "@apollo/client/utilities";

/** A connection as the cache keeps it. */
interface Connection {
  edges: { __typename: string; cursor: string; node: Reference }[];
}

/** A list that a new record is in: the field of the record that leads to the list's owner, or null for Query, and the list's name. */
type List = [owner: string | null, name: string];
type Order = "newest first" | "oldest first" | "latest activity first" | "on top";

/** Puts what a mutation or an event brings into lists that are loaded, once, and in its place. A list with a filter is loaded again. */
function joins(order: Order, ...lists: List[]): FieldPolicy<Reference | null> {
  return {
    merge(_former, record, { cache, readField, toReference }) {
      if (!record) return record;
      const rankOf = (node: Reference | undefined) =>
        order === "latest activity first"
          ? String(readField("lastActivityAt", readField<Reference>("chat", node)))
          : String(readField("id", node)).padStart(20, "0");
      const rank = rankOf(record);
      const isBeyond = ({ node }: Connection["edges"][number]) =>
        order === "on top" || (order === "oldest first" ? rankOf(node) > rank : rankOf(node) < rank);
      const edge = { __typename: `${readField("__typename", record)}Edge`, cursor: "", node: record };
      for (const [owner, name] of lists) {
        const of = owner === null ? toReference("ROOT_QUERY") : readField<Reference>(owner, record);
        if (!of) continue;
        const join = (list: Connection | Reference | null, { storeFieldName, DELETE }: ModifierDetails) => {
          if (!list || !("edges" in list)) return list;
          if (storeFieldName !== name && storeFieldName !== `${name}:{}`) return DELETE;
          const others = list.edges.filter(({ node }) => node.__ref !== record.__ref);
          const at = others.findIndex(isBeyond);
          return { ...list, edges: others.toSpliced(at < 0 ? others.length : at, 0, edge) };
        };
        cache.modify({ id: of.__ref, fields: { [name]: join } });
      }
      return record;
    },
  };
}

/** Removes a deleted record, and so its place in every list. */
function leaves(typename: string, key = "id"): FieldPolicy<StoreObject | null> {
  return {
    merge(_former, deleted, { cache, readField }) {
      const id = deleted && readField<string>("id", deleted);
      if (id) cache.evict({ id: cache.identify({ __typename: typename, [key]: id }) as string });
      return deleted;
    },
  };
}

const comment = joins("oldest first", ["post", "commentsConnection"], ["replyTo", "repliesConnection"]);
const message = joins("newest first", ["chat", "messagesConnection"]);
const post = joins("on top", [null, "postsConnection"], ["author", "postsConnection"]);

/**
 * Keeps the lists: the next page is added to the pages before, new records join, and deleted ones leave. A mutation or a subscription selects
 * what the list's query selects of a record, and the `id` of the list's owner.
 */
export const listPolicies: TypePolicies = {
  Query: {
    fields: {
      feedConnection: relayStylePagination(),
      notificationsConnection: relayStylePagination(["unread"]),
      postsConnection: relayStylePagination(["authorId", "orderBy", "status", "tag"]),
    },
  },
  Chat: { fields: { messagesConnection: relayStylePagination() } },
  Comment: { fields: { repliesConnection: relayStylePagination() } },
  Post: { fields: { commentsConnection: relayStylePagination(["topLevel"]) } },
  User: {
    fields: {
      inboxConnection: relayStylePagination(),
      postsConnection: relayStylePagination(["orderBy", "status", "tag"]),
    },
  },
  Mutation: {
    fields: {
      createComment: comment,
      createPost: post,
      sendMessage: message,
      deleteComment: leaves("Comment"),
      deletePost: leaves("Post"),
      leaveChat: leaves("InboxEntry", "chatId"),
    },
  },
  Subscription: {
    fields: {
      commentAdded: comment,
      messageAdded: message,
      notificationAdded: joins("newest first", [null, "notificationsConnection"]),
      postPublished: post,
      inboxEntryChanged: joins("latest activity first", ["user", "inboxConnection"]),
      commentDeleted: leaves("Comment"),
      chatLeft: leaves("InboxEntry", "chatId"),
    },
  },
};
