/** One operation that every server answers with the same data. */
export interface Case {
  operationName: string;
  query: string;
  variables: Record<string, unknown>;
  /** The same question in the names of PostGraphile as it comes, and its answer in ours. */
  stock: { query: string; toOurs(data: any): unknown };
}

const nodes = (connection: any) => connection.nodes;

export const cases: Record<string, Case> = {
  feed: {
    operationName: "Feed",
    query: `query Feed($limit: Int!) {
      feed(limit: $limit) { id title excerpt author { id name } tags { id name } comments(limit: 3) { id text author { name } } }
    }`,
    variables: { limit: 10 },
    stock: {
      query: `query Feed($limit: Int!) {
        allPosts(first: $limit, condition: {status: PUBLISHED}, orderBy: [PRIMARY_KEY_DESC]) { nodes {
          id: rowId title excerpt author: userByAuthorId { id: rowId name }
          postTagsByPostId { nodes { tagByTagId { id: rowId name } } }
          commentsByPostId(first: 3, orderBy: [PRIMARY_KEY_ASC]) { nodes { id: rowId text author: userByAuthorId { name } } }
        } }
      }`,
      toOurs: ({ allPosts }) => ({
        feed: nodes(allPosts).map(({ postTagsByPostId, commentsByPostId, ...post }: any) => ({
          ...post,
          tags: nodes(postTagsByPostId)
            .map(({ tagByTagId }: any) => tagByTagId)
            .sort((one: any, other: any) => (one.name < other.name ? -1 : 1)),
          comments: nodes(commentsByPostId),
        })),
      }),
    },
  },
  post: {
    operationName: "Post",
    query: "query Post($id: ID!) { post(id: $id) { id title content author { id name } } }",
    variables: { id: "1001" },
    stock: {
      query:
        "query Post($id: BigInt!) { post: postByRowId(rowId: $id) { id: rowId title content author: userByAuthorId { id: rowId name } } }",
      toOurs: (data) => data,
    },
  },
  page: {
    operationName: "Page",
    query:
      "query Page($limit: Int!) { posts(limit: $limit, status: PUBLISHED) { id title } postsCount(status: PUBLISHED) }",
    variables: { limit: 20 },
    stock: {
      query: `query Page($limit: Int!) {
        allPosts(first: $limit, condition: {status: PUBLISHED}, orderBy: [PRIMARY_KEY_DESC]) { nodes { id: rowId title } totalCount }
      }`,
      toOurs: ({ allPosts }) => ({ posts: nodes(allPosts), postsCount: allPosts.totalCount }),
    },
  },
  typename: {
    operationName: "Nothing",
    query: "query Nothing { __typename }",
    variables: {},
    stock: { query: "query Nothing { __typename }", toOurs: (data) => data },
  },
};
