import type { ApolloCache, ApolloClient } from "@apollo/client";
import { useApolloClient, useQuery } from "@apollo/client/react";
import { useEffect } from "react";
import { addEdge } from "../client";
import { type FragmentOf, graphql } from "../graphql";
import { Icon } from "../Icon";
import { Avatar, More, personFragment, Time, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";

export const notificationFragment = graphql(
  `
  fragment NotificationParts on Notification {
    id kind createdAt readAt actor { ...Person } post { id slug title reviewNote } comment { id text } reportReason { reason }
  }
`,
  [personFragment],
);

const notificationsQuery = graphql(
  `
  query Notifications($after: Cursor) {
    me { ...Viewer }
    notificationsConnection(first: 20, after: $after) {
      edges { node { ...NotificationParts } }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [viewerFragment, notificationFragment],
);

const readMutation = graphql(
  `
  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }
`,
  [viewerFragment],
);

const words = {
  FOLLOWED: "follows you",
  COMMENTED: "has commented on",
  REPLIED: "has replied to you on",
  POST_PUBLISHED: "has published your post",
  POST_RETURNED: "has returned your post",
  REPORT_UPHELD: "The editors agree with your report.",
  REPORT_DISMISSED: "The editors do not agree with your report.",
};

export function Notifications() {
  const { data, error, fetchMore, refetch } = useQuery(notificationsQuery);
  const client = useApolloClient();
  const notifications = data?.notificationsConnection;
  const newest = notifications?.edges[0]?.node;
  const upToId = newest && !newest.readAt ? newest.id : undefined;
  // New ones are read when the reader leaves: until then the list and the badge of the menu agree.
  useEffect(() => {
    const path = location.pathname;
    return () => {
      if (upToId && location.pathname !== path) markRead(client, upToId);
    };
  }, [upToId, client]);
  if (!notifications) return <Waiting error={error} retry={refetch} />;
  return (
    <>
      <title>Notifications</title>
      <h1>Notifications</h1>
      <ul className="lines">
        {notifications.edges.map(({ node: { id, kind, createdAt, readAt, actor, post, comment, reportReason } }) => (
          <li key={id} className="pictured">
            {actor ? <Avatar person={actor} /> : <Icon name="bell" />}
            <div>
              <p>
                {!readAt && <strong className="badge">New</strong>}{" "}
                {actor && (
                  <a className="name" href={linkTo("users", actor.id)}>
                    {actor.name}
                  </a>
                )}{" "}
                {!actor && kind === "POST_PUBLISHED" ? "The editors have published your post" : words[kind]}{" "}
                {post && (
                  <a href={kind === "POST_RETURNED" ? linkTo("write", post.id) : linkTo("posts", post.slug)}>
                    {post.title}
                  </a>
                )}
              </p>
              <Quoted text={kind === "POST_RETURNED" ? post?.reviewNote : (comment?.text ?? reportReason?.reason)} />
              <p className="small">
                <Time of={createdAt} precise />
              </p>
            </div>
          </li>
        ))}
      </ul>
      {notifications.edges.length === 0 && <p>There are none yet.</p>}
      <More pageInfo={notifications.pageInfo} load={fetchMore} />
    </>
  );
}

function Quoted({ text }: { text: string | null | undefined }) {
  return text ? <blockquote className="text">{text}</blockquote> : null;
}

function markRead(client: ApolloClient, upToId: string): void {
  const now = new Date().toISOString();
  const reading = client.mutate({
    mutation: readMutation,
    variables: { upToId },
    update: (cache) =>
      cache.updateQuery({ query: notificationsQuery }, (loaded) => {
        const connection = loaded?.notificationsConnection;
        if (!connection) return;
        const edges = connection.edges.map(({ node, ...edge }) => ({
          ...edge,
          node: { ...node, readAt: node.readAt ?? now },
        }));
        return { ...loaded, notificationsConnection: { ...connection, edges } };
      }),
  });
  // The next visit tries again.
  reading.catch(() => {});
}

/** Puts a notification that has just come on top of the list, if that is in the cache. */
export function addNotification(cache: ApolloCache, { id }: FragmentOf<typeof notificationFragment>): void {
  cache.modify({ fields: { notificationsConnection: addEdge(cache, { __typename: "Notification", id }, "first") } });
}
