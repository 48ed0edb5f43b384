import { buildSchema, parse } from "graphql";
import { checkDocument } from "../../src/graphql/request/checkDocument.ts";
import { selectOperation } from "../../src/graphql/request/Documents.ts";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { defaultSettings } from "../../src/settings.ts";
import { check } from "./check.ts";

/* How many objects an answer can hold, before anything is asked of the database. */
const withLimit = (rest: string) => `query Q${rest} { posts(limit: $limit) { id } }`;

test.each<[string, string, number, Record<string, unknown>?]>([
  ["scalars are none", `{ postsCount }`, 0],
  ["a list of scalars is none", `{ languages }`, 0],
  ["a list of scalars that takes a limit has as many as that", `{ prices }`, 50],
  ["one object is one", `{ user(id: "1") { name } }`, 1],
  ["a list has its limit", `{ posts(limit: 7) { id } }`, 7],
  ["lists multiply down the path", `{ posts(limit: 5) { comments(limit: 4) { author { name } } } }`, 5 + 20 + 20],
  ["fields side by side add up", `{ posts(limit: 5) { author { id } tags { name } } }`, 5 + 5 + 5 * 20],
  ["the argument's default counts", `{ users { id } }`, 100],
  ["so does a default of a required argument", `{ search { ... on User { id } } }`, 10],
  ["a null is the argument's default", `{ users(limit: null) { id } }`, 100],
  ["a list without any default has 20", `{ post(id: "1") { comments { id } } }`, 1 + 20],
  ["a limit of 0 asks for nothing below it", `{ posts(limit: 0) { comments(limit: 100) { id } } }`, 0],
  ["a negative limit counts as 0", `{ posts(limit: -5) { id } }`, 0],
  ["a limit above 100 counts as 100", `{ posts(limit: 2147483648) { id } }`, 100],
  ["a limit beyond all numbers counts as 100", `{ posts(limit: 1e999) { id } }`, 100],
  ["a limit that is no number counts as not given", `{ users(limit: "5") { id } }`, 100],
  ["a connection passes its page to its lists", `{ postsConnection(first: 5) { nodes { id } } }`, 1 + 5],
  ["edges and their nodes both count", `{ postsConnection(last: 5) { edges { node { id } } } }`, 1 + 5 + 5],
  ["of first and last the larger counts", `{ postsConnection(first: 2, last: 9) { nodes { id } } }`, 1 + 9],
  ["a connection without a page has 20", `{ postsConnection { nodes { id } pageInfo { hasNextPage } } }`, 1 + 20 + 1],
  [
    "a page reaches through fragments, and no further than the next object",
    `{ postsConnection(first: 5) { ...N } } fragment N on PostConnection { nodes { tags { name } } }`,
    1 + 5 + 5 * 20,
  ],
  [
    "a fragment has the page of where it is spread",
    `{ a: postsConnection(first: 5) { ...N } b: postsConnection(first: 7) { ...N } }
     fragment N on PostConnection { nodes { id } }`,
    1 + 5 + 1 + 7,
  ],
  [
    "each member of a union counts",
    `{ search { ... on User { followers { count } } ... on Post { author { id } } } }`,
    30,
  ],
  ["a mutation's answer counts", `mutation { createPost(input: {title: "a", content: "b"}) { tags { name } } }`, 21],
  ["skipped fields count", `{ posts(limit: 3) @skip(if: true) { id } }`, 3],
  ["a variable counts as what is given", withLimit("($limit: Int!)"), 9, { limit: 9 }],
  ["a variable counts as its default when it is missing", withLimit("($limit: Int = 6)"), 6],
  ["a given variable counts before its default", withLimit("($limit: Int = 6)"), 9, { limit: 9 }],
  ["a variable above 100 counts as 100", withLimit("($limit: Int!)"), 100, { limit: 4e9 }],
  ["a negative variable counts as 0", withLimit("($limit: Int!)"), 0, { limit: -4 }],
  ["a broken number counts as the next whole one", withLimit("($limit: Int!)"), 5, { limit: 4.2 }],
  ["a variable that is no number counts as not given", withLimit("($limit: Int!)"), 20, { limit: { evil: 1 } }],
  ["so does NaN", withLimit("($limit: Int!)"), 20, { limit: Number.NaN }],
  ["so does a variable that nobody declared", withLimit(""), 20, { limit: 1 }],
  ["a variable's name may be one of Object's", `query Q($toString: Int) { users(limit: $toString) { id } }`, 100],
  ["what the schema does not know is no node", `{ pots(limit: 100) { id } }`, 1],
])("%s", (_what, query, nodes, variables = {}) => {
  expect(check(query, variables).cost.nodes).toBe(nodes);
});

test("a field's extension says how long a list is that no argument and no default limits", () => {
  const schema = buildSchema(
    `type Query { usersConnection(first: Int): Users } type Users { nodes: [User] } type User { id: ID }`,
  );
  const field = schema.getQueryType()?.getFields().usersConnection;
  Object.assign(field?.extensions ?? {}, { defaultListSize: 100 });
  const document = parse(`{ usersConnection { nodes { id } } }`);
  const { cost } = checkDocument(
    new PreparedOperation(schema, document, selectOperation(document)),
    {},
    defaultSettings.queryLimits,
  );
  expect(cost.nodes).toBe(1 + 100);
});
