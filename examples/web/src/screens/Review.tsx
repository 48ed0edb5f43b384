import { useQuery, useSubscription } from "@apollo/client/react";
import { graphql } from "../graphql";
import { More, Person, personFragment, Time, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";

const reviewQuery = graphql(
  `
  query Review($first: Int = 20, $after: Cursor) {
    me { ...Viewer }
    postsConnection(status: SUBMITTED, first: $first, after: $after, orderBy: OLDEST) {
      edges { node { id title status excerpt updatedAt author { ...Person } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [viewerFragment, personFragment],
);

const postSubmitted = graphql(`
  subscription PostSubmitted($after: ID) { postSubmitted(after: $after) { id } }
`);
const postReviewed = graphql(`
  subscription PostReviewed($after: ID) { postReviewed(after: $after) { id } }
`);

/** The posts that wait for somebody who publishes or returns them. */
export function Review() {
  const { data, error, fetchMore, refetch } = useQuery(reviewQuery);
  const posts = data?.postsConnection;
  // All that is shown, and one more, in one page: at most 100.
  const first = Math.min(Math.max(20, (posts?.edges.length ?? 0) + 1), 100);
  const changed = { onData: () => void refetch({ first }) };
  useSubscription(postSubmitted, changed);
  useSubscription(postReviewed, changed);
  if (!posts) return <Waiting error={error} retry={refetch} />;
  // The cache has the new status of those that were published or returned here.
  const submitted = posts.edges.filter(({ node }) => node.status === "SUBMITTED");
  return (
    <>
      <title>Review</title>
      <h1>Review</h1>
      {submitted.length === 0 && <p role="status">Nothing waits for review.</p>}
      {submitted.map(({ node: { id, title, excerpt, updatedAt, author } }) => (
        <article key={id} className="card">
          <h2 className="headline">
            <a href={linkTo("write", id)}>{title}</a>
          </h2>
          <p>{excerpt}</p>
          <p className="byline">
            <Person person={author} /> <Time of={updatedAt} />
          </p>
        </article>
      ))}
      <More pageInfo={posts.pageInfo} load={fetchMore} />
    </>
  );
}
