import { type OperationDefinitionNode, parse } from "graphql";
import { CompiledOperations } from "postgraphile-compiled-preset/compiled";
import { useService } from "../support/service.ts";
import { collectGarbage, heapInUse, nextJob } from "./support/heap.ts";

/* Compiled statements serve many requests. They keep nothing of the first one: its variables may be megabytes, which no cache counts. */
const service = useService();

const operations: [name: string, text: string, given: object][] = [
  ["cursors", "query ($c: Cursor) { postsConnection(first: 1, after: $c) { nodes { id } } }", { c: "W10=" }],
  ["filters", "query ($t: String) { posts(limit: 1, tag: $t) { id } }", { t: "news" }],
  [
    "a filter of a fragment",
    "query ($t: String) { ...Q } fragment Q on Query { posts(limit: 1, tag: $t) { id } }",
    { t: "news" },
  ],
  [
    "a mutation's input",
    "mutation ($i: CreatePostInput!) { createPost(input: $i) { id } }",
    { i: { title: "t", content: "c" } },
  ],
  [
    "an input that the document writes",
    'mutation ($t: String!) { createPost(input: { title: $t, content: "c" }) { id } }',
    { t: "t" },
  ],
  [
    "an argument's default",
    "mutation ($e: String!) { requestPasswordReset(email: $e) { success } }",
    { e: "a@example.com" },
  ],
];

test("statements keep neither the variables nor the document", async () => {
  const { schema } = service.app.pipeline.served;
  const compiled = new CompiledOperations(schema, { cacheBytes: 1e9, maxBytes: 1e6 });
  const request = (text: string, given: object): WeakRef<object>[] => {
    const document = parse(text);
    const operation = document.definitions[0] as OperationDefinitionNode;
    const variables = { ...given };
    expect(compiled.find(document, operation, variables)).toBeDefined();
    return [variables, document, operation, document.loc as object].map((each) => new WeakRef(each));
  };
  const requests = operations.map(([name, text, given]) => ({ name, refs: request(text, given) }));
  const kept = () => requests.filter(({ refs }) => refs.some((ref) => ref.deref())).map(({ name }) => name);
  // A collection may find what a register still holds. What a statement keeps, none frees.
  for (let i = 0; i < 10 && kept().length > 0; i++) {
    await nextJob();
    collectGarbage();
  }
  expect(compiled.size).toBeGreaterThan(0);
  expect(kept()).toEqual([]);
});

// The search refuses its text, and the engine plans what a statement has refused.
test.each([
  ["String", "posts(limit: 1, tag: $t) { id }", { posts: [] }],
  ["String!", "searchConnection(text: $t) { nodes { rank } }", { searchConnection: null }],
])("different documents with large variables leave the heap as it was: %s in %s", async (type, selection, data) => {
  const first = await service.ask("{ usersConnection(first: 1) { pageInfo { endCursor } } }");
  const cursor = (first.data as any).usersConnection.pageInfo.endCursor;
  const send = async (i: number) => {
    const query = `query ($c: Cursor, $t: ${type}) {
      a${i}: usersConnection(first: 1, after: $c) { nodes { id } } ${selection} }`;
    const variables = { c: cursor, t: i + "x".repeat(900_000) };
    const answer = await service.ask(query, { variables });
    expect(answer).toMatchObject({ data: { [`a${i}`]: { nodes: [{ id: "2" }] }, ...data } });
  };
  for (let i = 0; i < 3; i++) await send(i);
  const before = await heapInUse();
  for (let i = 3; i < 11; i++) await send(i);
  // Of 7 MB of variables.
  expect((await heapInUse()) - before).toBeLessThan(5_000_000);
});
