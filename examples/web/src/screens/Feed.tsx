import { useQuery } from "@apollo/client/react";
import { graphql } from "../graphql";
import { More, PostCard, postCardFragment, viewerFragment, Waiting } from "../parts";

const feedQuery = graphql(
  `
  query Feed($after: Cursor) {
    me { ...Viewer }
    feedConnection(first: 10, after: $after) {
      edges { node { ...PostCard } }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [viewerFragment, postCardFragment],
);

export function Feed() {
  const { data, error, fetchMore } = useQuery(feedQuery);
  const feed = data?.feedConnection;
  if (!feed) return <Waiting error={error} />;
  return (
    <>
      <title>Feed</title>
      <h1>Feed</h1>
      {feed.edges.map(({ node }) => (
        <PostCard key={node.id} post={node} />
      ))}
      <More pageInfo={feed.pageInfo} load={fetchMore} />
    </>
  );
}
