import { useMutation, useQuery } from "@apollo/client/react";
import { useEffect } from "react";
import { graphql } from "../graphql";
import { More, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";

const notificationsQuery = graphql(
  `
  query Notifications($after: Cursor) {
    me { ...Viewer }
    notificationsConnection(first: 20, after: $after) {
      edges { node { id kind createdAt readAt actor { id name } post { id slug title } comment { id text } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [viewerFragment],
);

const readMutation = graphql(
  `
  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }
`,
  [viewerFragment],
);

const words = { FOLLOWED: "follows you", COMMENTED: "has commented on", REPLIED: "has replied to you on" };

export function Notifications() {
  const { data, error, fetchMore } = useQuery(notificationsQuery);
  const [markRead] = useMutation(readMutation);
  const notifications = data?.notificationsConnection;
  const newest = notifications?.edges[0]?.node;
  const upToId = newest && !newest.readAt ? newest.id : undefined;
  useEffect(() => {
    // The next visit tries again.
    if (upToId) markRead({ variables: { upToId } }).catch(() => {});
  }, [upToId, markRead]);
  if (!notifications) return <Waiting error={error} />;
  return (
    <>
      <title>Notifications</title>
      <h1>Notifications</h1>
      <ul>
        {notifications.edges.map(({ node: { id, kind, createdAt, readAt, actor, post, comment } }) => (
          <li key={id}>
            {!readAt && <strong>New: </strong>}
            <a href={linkTo("user", actor.id)}>{actor.name}</a> {words[kind]}{" "}
            {post && <a href={linkTo("post", post.slug)}>{post.title}</a>}
            {comment && `: “${comment.text}”`} <time className="small">{new Date(createdAt).toLocaleDateString()}</time>
          </li>
        ))}
      </ul>
      {notifications.edges.length === 0 && <p>There are none yet.</p>}
      <More pageInfo={notifications.pageInfo} load={fetchMore} />
    </>
  );
}
