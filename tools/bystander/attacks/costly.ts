import { getIntrospectionQuery } from "graphql";

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(" ");
/** Fragments with every kind of expensive field, spread as often as the limits allow. */
const post = `fragment P on Post { id title slug excerpt content author { id name } tags { id name }
  commentsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes { id author { id } } } }`;
const relations = `fragment R on Post { author { posts(limit: 1) { author { id } comments(limit: 1) { author { id } post { author { id } } } } }
  comments(limit: 1) { author { followers { count } } } }`;
const user = `fragment U on User { postsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...P } } nodes { ...P } }
  commentsConnection(first: 1) { totalCount nodes { post { ...P } } edges { node { post { ...P } } } } }`;

/** Documents within the limits that are expensive to plan or to execute. */
export const costly: Record<string, string> = {
  "200 selections in connections": `{ a: users(limit: 1) { ...U } b: posts(limit: 1) { ...P } c: post(id: 1) { ...P } } ${user} ${post}`,
  "198 selections in 9 lists": `{ ${times(9, (i) => `a${i}: posts(limit: 1) { ...P }`)} } ${post}`,
  "5 mutations with 200 selections": `mutation { ${times(5, (i) => `a${i}: createPost(input: {title: "A", content: "B"}) { ...P ...R }`)} } ${post} ${relations}`,
  "10 paths of relations": `{ ${times(10, (i) => `a${i}: posts(limit: 1) { ...R }`)} } ${relations}`,
  "a list with 13 sets of arguments": `{ ${times(13, (i) => `a${i}: posts(limit: 1, offset: 1, status: PUBLISHED) { id title slug excerpt content createdAt updatedAt publishedAt authorId status tags { id name } }`)} }`,
  "the introspection query": getIntrospectionQuery(),
  "twice the introspection of fields": `{ ${times(5, (i) => `a${i}: __schema { types { fields { name type { name kind ofType { name } } args { name } } } }`)} }`,
  "fields of the types of fields": `{ __schema { types { fields { type { fields { name } } } } } }`,
  "fields of fields of one type": `{ __type(name: "Query") { fields { type { fields { name type { name } } } } } }`,
};
