import { excessive, unparsable } from "../hostile/documents.ts";

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(" ");
/** Fragments with every kind of expensive field, spread as often as the limits allow. */
const post = `fragment P on Post { id title slug excerpt content author { id name } tags { id name }
  commentsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes { id author { id } } } }`;
const relations = `fragment R on Post { author { posts(limit: 1) { author { id } comments(limit: 1) { author { id } post { author { id } } } } }
  comments(limit: 1) { author { followers { count } } } }`;
const user = `fragment U on User { postsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...P } } nodes { ...P } }
  commentsConnection(first: 1) { totalCount nodes { post { ...P } } edges { node { post { ...P } } } } }`;

/**
 * Documents within the limits that are expensive to plan or to execute. The "not heavy" ones stay below the weight that
 * moves an operation to the second thread.
 */
export const allowed: Record<string, string> = {
  "1,900 selections in connections": `{ ${times(17, (i) => `a${i}: users(limit: 1) { ...U }`)} } ${user} ${post}`,
  "840 selections in 20 lists": `{ ${times(20, (i) => `a${i}: posts(limit: 1) { ...P }`)} } ${post}`,
  "20 mutations": `mutation { ${times(20, (i) => `a${i}: createPost(input: {title: "A", content: "B"}) { ...P }`)} } ${post}`,
  "7 mutations, just not heavy": `mutation { ${times(7, (i) => `a${i}: followUser(id: 2) { __typename }`)} }`,
  "4 paths of relations, just not heavy": `{ ${times(4, (i) => `a${i}: posts(limit: 1) { ...R }`)} } ${relations}`,
  "990 tokens of arguments": `{ ${times(19, (i) => `a${i}: posts(limit: 1, offset: 1, status: PUBLISHED) { id title slug excerpt content createdAt updatedAt publishedAt authorId status tags { id name } }`)} }`,
};

/** Documents that the service refuses after expensive checks, by their list in tools/hostile. */
const refused = Object.entries({ unparsable, excessive }).flatMap(([list, texts]) =>
  texts.map((text, index): [string, string] => [`${list} ${index}: ${text.slice(0, 30)}`, text]),
);

export const costly: [name: string, text: string][] = [...Object.entries(allowed), ...refused];
