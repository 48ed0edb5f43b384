import { useQuery } from "@apollo/client/react";
import { graphql } from "../graphql";
import { counted, More, PostCard, postCardFragment, viewerFragment, Waiting } from "../parts";

const tagQuery = graphql(
  `
  query Tag($name: String!, $after: Cursor) {
    me { ...Viewer }
    tagByName(name: $name) {
      id name postsCount(status: PUBLISHED)
      postsConnection(status: PUBLISHED, first: 10, after: $after) {
        edges { node { ...PostCard } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, postCardFragment],
);

export function TagScreen({ name }: { name: string }) {
  const { data, error, fetchMore, refetch } = useQuery(tagQuery, { variables: { name } });
  const tag = data?.tagByName;
  if (!tag) return <Waiting error={error} retry={refetch} />;
  return (
    <>
      <title>{`#${tag.name}`}</title>
      <h1>#{tag.name}</h1>
      <p className="small">{counted(tag.postsCount, "post")}</p>
      {tag.postsConnection?.edges.map(({ node }) => (
        <PostCard key={node.id} post={node} />
      ))}
      <More pageInfo={tag.postsConnection?.pageInfo} load={fetchMore} />
    </>
  );
}
