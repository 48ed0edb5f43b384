/** One operation that every server answers with the same data. */
export interface Case {
  operationName: string;
  query: string;
  variables: Record<string, unknown>;
}

export const cases: Record<string, Case> = {
  feed: {
    operationName: "Feed",
    query: `query Feed($limit: Int!) {
      feed(limit: $limit) { id title excerpt author { id name } tags { id name } comments(limit: 3) { id text author { name } } }
    }`,
    variables: { limit: 10 },
  },
  post: {
    operationName: "Post",
    query: "query Post($id: ID!) { post(id: $id) { id title content author { id name } } }",
    variables: { id: "1001" },
  },
  page: {
    operationName: "Page",
    query:
      "query Page($limit: Int!) { posts(limit: $limit, status: PUBLISHED) { id title } postsCount(status: PUBLISHED) }",
    variables: { limit: 20 },
  },
  typename: {
    operationName: "Nothing",
    query: "query Nothing { __typename }",
    variables: {},
  },
};
