import { Agent } from "node:http";
import { postJson } from "../../tools/support/post.ts";
import { startThrowAwayService, type ThrowAwayService } from "../../tools/support/throwAwayService.ts";

/*
 * A service with a small heap answers endless different documents. Without a bound in bytes, the plans of these alone would
 * be a third of a gigabyte, and the process would end.
 */
const heapMegabytes = 256;
let service: ThrowAwayService;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  service = await startThrowAwayService({ NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`, LOG_LEVEL: "error" });
});
afterAll(async () => {
  agent.destroy();
  await service[Symbol.asyncDispose]();
});

const post = `fragment P on Post { id title slug excerpt content author { id name } tags { id name }
  commentsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes { id author { id } } } }`;
const different = (i: number) =>
  `{ ${[1, 2, 3, 4, 5, 6, 7, 8].map((k) => `a${i}_${k}: posts(limit: 1) { ...P }`).join(" ")} } ${post}`;

test("the heap stays flat under endless different documents, valid and refused", async () => {
  const send = async (query: string) =>
    JSON.parse((await postJson(service.url, agent, JSON.stringify({ query }))).text);
  for (let i = 0; i < 120; i++) {
    expect((await send(different(i))).errors).toBeUndefined();
    expect((await send(`{ no${i} ${"title ".repeat(150)} }`)).errors).toBeDefined();
  }
  const metrics = await (await fetch(service.url.replace("/graphql", "/metrics"))).text();
  const used = Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1]);
  expect(used).toBeLessThan(heapMegabytes * 1e6);
  expect((await send("{ postsCount }")).errors).toBeUndefined();
});
