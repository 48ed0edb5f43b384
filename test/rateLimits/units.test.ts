import { buildSchema, getOperationAST, parse } from "graphql";
import { PreparedOperation } from "../../src/graphql/request/PreparedOperation.ts";
import { requesterKey } from "../../src/rateLimits/clients.ts";
import { Limit } from "../../src/rateLimits/Limit.ts";

describe("the key that an address is counted by", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["::1", "::/64"],
    ["", "unknown"],
    ["a proxy said this", "unknown"],
  ])("%s is %s", (address, key) => expect(requesterKey(address)).toBe(key));
});

describe("the guarded calls of an operation", () => {
  const schema = buildSchema(`
    type Query { signIn: Int, postsCount: Int }
    type User { id: ID, userId: ID }
    type Mutation { signIn(email: String, password: String): User, createUser(name: String, email: String): User, like: Int }
  `);
  for (const name of ["signIn", "createUser"]) {
    const field = schema.getMutationType()?.getFields()[name];
    if (field) field.extensions = { isRateLimited: true };
  }
  const call = `signIn(email: "a", password: "b") { userId }`;
  const doubling = (depth: number) =>
    Array.from({ length: depth }, (_, i) => `fragment F${i} on Mutation { ...F${i + 1} ...F${i + 1} }`).join(" ");
  test.each([
    ["no mutation", "{ signIn }", 0],
    ["another mutation", "mutation { like }", 0],
    ["their name as an alias", "mutation { signIn: like }", 0],
    ["one call", `mutation { ${call} }`, 1],
    ["three calls by other names", `mutation { a: ${call} b: ${call} c: createUser(name: "a", email: "b") { id } }`, 3],
    ["one in a fragment that is spread twice", `mutation { ...F ...F } fragment F on Mutation { ${call} }`, 1],
    ["one that is written twice", `mutation { ${call} ${call} }`, 1],
    ["one in an inline fragment", `mutation { ... on Mutation { ... { ${call} } } }`, 1],
    ["forty doublings", `mutation { ...F0 } ${doubling(40)} fragment F40 on Mutation { ${call} }`, 1],
  ])("%s", (_, text, calls) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error("no operation");
    expect(new PreparedOperation(schema, document, operation).guardedCalls).toBe(calls);
  });
});

test("a limit in memory keeps a bounded number of keys: those that were counted last", () => {
  const limit = new Limit(9, 3);
  const counts = ["a", "b", "c", "a", "d", "a", "b"].map((key) => limit.count(key).standing.used);
  expect(counts).toEqual([1, 1, 1, 2, 1, 3, 1]);
});
