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
  const { data, error, fetchMore, refetch } = useQuery(feedQuery);
  const feed = data?.feedConnection;
  if (!feed) return <Waiting error={error} retry={refetch} />;
  return (
    <>
      <title>Small Publication</title>
      <h1 className="hidden">Feed</h1>
      <div className="feed">
        {feed.edges.map(({ node }) => (
          <PostCard key={node.id} post={node} />
        ))}
      </div>
      <More pageInfo={feed.pageInfo} load={fetchMore} />
      <p className="small">
        <a href="/feed.xml" type="application/rss+xml">
          Follow by RSS
        </a>
      </p>
    </>
  );
}
