import { stitchSchemas } from "@graphql-tools/stitch";
import { buildSchema, graphql, isInterfaceType, print, printSchema } from "graphql";
import { type Answer, type Person, useService } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/* Global ids: every record has one, node(nodeId:) reads it with the caller's rights, and bad ones are refused. */
const service = useService();

beforeAll(async () => {
  await service.database.query(`
    insert into app_public.posts (author_id, title, content, status)
      values (1, 'Public', 'World.', 'PUBLISHED'), (1, 'Secret', 'Draft.', 'DRAFT');
    insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Hello');
    create table app_public.keys (id uuid primary key default '0190b3c4-0000-7000-8000-000000000000', label text not null);
    create table app_public.routes ("from" text, "to" int, primary key ("from", "to"));
    create table app_public.walls (id bigint primary key);
    comment on table app_public.walls is '@behavior -type:node';
    create table app_public.islands (id bigint primary key);
    comment on table app_public.islands is '@behavior -query:resource:list -query:resource:connection -query:resource:single';
    grant select on app_public.keys, app_public.routes, app_public.walls, app_public.islands to api_anonymous, api_member;
    insert into app_public.keys (label) values ('Front door');
    insert into app_public.routes values (E'A"\\n\\\\ é\\u0001' || repeat('x', 100), 2);
    insert into app_public.islands values (1);
  `);
  await service.app.rebuild();
  expect(service.logged.filter(({ level }) => level === 50)).toEqual([]);
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

async function nodeOf(nodeId: string, as: Person = "nobody") {
  const query = `query ($nodeId: ID!) {
    node(nodeId: $nodeId) { __typename nodeId ... on Post { id title } ... on User { id name } ... on Comment { id text }
      ... on Key { label } ... on Route { from to } }
  }`;
  return service.ask(query, { variables: { nodeId }, as });
}

test("records of two types with the same id have different nodeIds, which lead back to them", async () => {
  const { data } = await service.ask(`{ user(id: 1) { nodeId } post(id: 1) { nodeId comments { nodeId } } }`);
  const { user, post } = data as { user: { nodeId: string }; post: { nodeId: string; comments: { nodeId: string }[] } };
  const comment = post.comments[0]?.nodeId as string;
  expect(new Set([user.nodeId, post.nodeId, comment]).size).toBe(3);
  expect((await nodeOf(user.nodeId)).data).toEqual({
    node: { __typename: "User", nodeId: user.nodeId, id: "1", name: "Ada" },
  });
  expect((await nodeOf(post.nodeId)).data).toEqual({
    node: { __typename: "Post", nodeId: post.nodeId, id: "1", title: "Public" },
  });
  expect((await nodeOf(comment)).data).toEqual({
    node: { __typename: "Comment", nodeId: comment, id: "1", text: "Hello" },
  });
});

test("keys of any type lead back, compiled or not", async () => {
  const { data } = await service.ask(`{ keys { nodeId } routes { nodeId ... on Node { again: nodeId } } }`);
  const { keys, routes } = data as Record<"keys" | "routes", { nodeId: string; again?: string }[]>;
  expect((await nodeOf(keys?.[0]?.nodeId ?? "")).data).toMatchObject({ node: { label: "Front door" } });
  expect(routes?.[0]?.again).toBe(routes?.[0]?.nodeId);
  expect((await nodeOf(routes?.[0]?.nodeId ?? "")).data).toMatchObject({
    node: { nodeId: routes?.[0]?.nodeId, from: `A"\n\\ é\u0001${"x".repeat(100)}`, to: 2 },
  });
});

describe("a record that the caller may not see", () => {
  test("is answered as by post(id)", async () => {
    const nodeId = encode(["Post", "2"]);
    for (const as of ["nobody", "bob"] as const) {
      const { data, errors } = await nodeOf(nodeId, as);
      const byId = await service.ask(`{ node: post(id: 2) { id } }`, { as });
      const words = (faults: Answer["errors"]) =>
        faults?.map(({ message, path, extensions }) => ({ message, path, extensions }));
      expect([data, words(errors)]).toEqual([byId.data, words(byId.errors)]);
    }
    expect((await nodeOf(nodeId, "ada")).data).toMatchObject({ node: { title: "Secret" } });
  });

  test.each([
    ["a row that does not exist", ["Post", "404"]],
    ["an id that cannot exist", ["Post", "abc"]],
    ["a type that does not exist", ["Ghost", "1"]],
    ["a table without nodeIds", ["Wall", "1"]],
    ["a function's name", ["toString", "1"]],
  ])("%s is NOT_FOUND", async (_name, value) => {
    const { data, errors } = await nodeOf(encode(value));
    expect([data, errors]).toMatchObject([{ node: null }, [{ path: ["node"], extensions: { code: "NOT_FOUND" } }]]);
  });
});

test.each([
  ["an empty text", ""],
  ["an id of one type", "1"],
  ["no base64", "Post:1"],
  ["base64 of no JSON", Buffer.from("Post:1").toString("base64")],
  ["another spelling of a nodeId", `${encode(["Post", "1"])} `],
  ["null", encode(null)],
  ["no key", encode(["Post"])],
  ["too long a key", encode(["Post", "1", "2"])],
  ["null in the key", encode(["Post", null])],
  ["an object in the key", encode(["Post", { id: 1 }])],
  ["a key of another type", encode(["Key", "1"])],
])("%s is a VALIDATION_ERROR that names the argument", async (_name, nodeId) => {
  const { data, errors } = await nodeOf(nodeId);
  expect(data).toEqual({ node: null });
  expect(errors).toMatchObject([
    {
      path: ["node"],
      extensions: {
        code: "VALIDATION_ERROR",
        validationErrors: [{ path: ["nodeId"], field: "nodeId", code: "FORMAT" }],
      },
    },
  ]);
});

test("records alone are nodes", () => {
  const node = service.app.schema.getType("Node");
  const names = isInterfaceType(node) ? service.app.schema.getPossibleTypes(node).map(({ name }) => name) : [];
  expect(names.toSorted()).toEqual([
    "Ban",
    "Chat",
    "Comment",
    "Island",
    "Key",
    "Message",
    "Notification",
    "Post",
    "PostRevision",
    "Report",
    "Route",
    "Tag",
    "TrashedPost",
    "User",
    "WorkingCopy",
  ]);
});

test("the rest of the answer stands when a nodeId is bad", async () => {
  const { data } = await service.ask(`{ node(nodeId: "?") { nodeId } post(id: 1) { title } }`);
  expect(data).toEqual({ node: null, post: { title: "Public" } });
});

test("a table that only node() leads to is read", async () => {
  const { data, errors } = await service.ask(`query ($nodeId: ID!) { node(nodeId: $nodeId) { __typename nodeId } }`, {
    variables: { nodeId: encode(["Island", "1"]) },
  });
  expect([data, errors]).toEqual([{ node: { __typename: "Island", nodeId: encode(["Island", "1"]) } }, undefined]);
});

describe("nodes(nodeIds:)", () => {
  const query = `query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { __typename nodeId ... on User { name } ... on Post { title } } }`;
  const nodesOf = (nodeIds: unknown, as: Person = "nobody") => service.ask(query, { variables: { nodeIds }, as });

  test("has the records in the order asked, the same one twice, and null for each that is not found", async () => {
    const ids = [
      ["Post", "1"],
      ["User", "404"],
      ["User", "2"],
      ["Ghost", "1"],
      ["Post", "2"],
      ["User", "1"],
      ["Post", "1"],
    ];
    const { data, errors } = await nodesOf(ids.map(encode));
    expect(errors).toBeUndefined();
    expect((data as { nodes: unknown[] }).nodes).toMatchObject([
      { __typename: "Post", nodeId: encode(["Post", "1"]), title: "Public" },
      null,
      { __typename: "User", nodeId: encode(["User", "2"]), name: "Bob" },
      null,
      null,
      { __typename: "User", nodeId: encode(["User", "1"]), name: "Ada" },
      { __typename: "Post", title: "Public" },
    ]);
    const own = await nodesOf([encode(["Post", "2"])], "ada");
    expect(own.data).toMatchObject({ nodes: [{ title: "Secret" }] });
  });

  test("has the same for literals, a single value and an empty list", async () => {
    const id = encode(["User", "1"]);
    const { data } = await service.ask(
      `query ($one: ID!) { a: nodes(nodeIds: ["${id}"]) { nodeId } b: nodes(nodeIds: "${id}") { nodeId } c: nodes(nodeIds: [$one]) { nodeId } d: nodes(nodeIds: []) { nodeId } }`,
      { variables: { one: id } },
    );
    const found = [{ nodeId: id }];
    expect(data).toEqual({ a: found, b: found, c: found, d: [] });
  });

  test("is refused for a value that is no nodeId, which the error names", async () => {
    const { data, errors } = await nodesOf([encode(["User", "1"]), "?"]);
    expect(data).toEqual({ nodes: null });
    expect(errors).toMatchObject([
      {
        path: ["nodes"],
        extensions: { validationErrors: [{ path: ["nodeIds", 1], field: "nodeIds", code: "FORMAT" }] },
      },
    ]);
  });

  test("costs a row each, so the limit of cost is the limit of ids", async () => {
    const ids = Array.from({ length: 500 }, (_, i) => encode(["User", String(i + 1)]));
    const { data } = await nodesOf(ids);
    expect((data as { nodes: unknown[] }).nodes).toHaveLength(500);
    const deep = `query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { ... on User { posts(limit: 100) { id } } } }`;
    const { errors } = await service.ask(deep, { variables: { nodeIds: ids } });
    expect(errors?.map(({ extensions }) => extensions.limit)).toEqual([
      { name: "nodes", max: 10_000, asked: 50_500 },
      { name: "cost", max: 50_000, asked: 55_500 },
    ]);
  });

  test("is what the error of too many selections advises", async () => {
    const fields = Array.from({ length: 101 }, (_, i) => `u${i}: user(id: ${i + 1}) { name }`);
    const { errors } = await service.ask(`{ ${fields.join(" ")} }`);
    expect(errors?.[0]?.message).toContain("`nodes(nodeIds:)`");
  });

  test("takes one statement a type", async () => {
    const ids = Array.from({ length: 100 }, (_, i) => [
      encode(["User", String(i + 1)]),
      encode(["Post", String(i + 1)]),
    ]);
    const statements = await statementsOf(() => nodesOf(ids.flat()));
    expect(statements).toHaveLength(2);
  });

  test("gives 500 users to a gateway that batches, in one request", async () => {
    const people = await service.database.query<{ id: string; name: string }>(`
      insert into app_public.users (name) select 'User ' || n from generate_series(1, 500) n returning id::text, name`);
    const requests: string[] = [];
    const subschema = {
      schema: buildSchema(printSchema(service.app.schema)),
      executor: async ({ document, variables }: { document: never; variables?: object }) => {
        requests.push(print(document));
        return (await service.ask(print(document), { variables: variables as never })) as never;
      },
      batch: true,
      merge: {
        User: {
          selectionSet: "{ nodeId }",
          fieldName: "nodes",
          key: ({ nodeId }: { nodeId: string }) => nodeId,
          argsFromKeys: (nodeIds: readonly string[]) => ({ nodeIds }),
        },
      },
    };
    const staff = buildSchema("type Query { staff: [User] } type User { nodeId: ID! }");
    const rootValue = { staff: people.map(({ id }) => ({ nodeId: encode(["User", id]) })) };
    const gateway = stitchSchemas({
      subschemas: [
        subschema as never,
        {
          schema: staff,
          executor: (({ document, variables }: { document: never; variables: never }) =>
            graphql({ schema: staff, source: print(document), rootValue, variableValues: variables })) as never,
          merge: { User: { selectionSet: "{ nodeId }" } } as never,
        },
      ],
    });
    const { data, errors } = await graphql({ schema: gateway, source: "{ staff { name } }" });
    expect(errors).toBeUndefined();
    expect(data?.staff).toEqual(people.map(({ name }) => ({ name })));
    expect(requests).toHaveLength(1);
  });
});
