import { planAtLeisure } from "../compiled/planAtLeisure.ts";
import { useService } from "../support/service.ts";
import { heapInUse } from "./support/heap.ts";

/*
 * Endless different documents, valid and refused, leave the heap as it is once the cache of plans is full: a plan takes no more than the
 * cache counts for it, here half of five megabytes. That the cache stays within its bound is in caches.test.ts.
 */
const service = useService({ compileQueries: false, queryCacheBytes: 12_000_000 });
beforeAll(() => planAtLeisure(service));

const post = `fragment P on Post { id title slug excerpt content author { id name } tags { id name }
  commentsConnection(first: 1) { totalCount pageInfo { hasNextPage endCursor } nodes { id author { id } } } }`;
const different = (i: number) =>
  `{ ${[1, 2, 3, 4, 5, 6, 7, 8].map((k) => `a${i}_${k}: posts(limit: 1) { ...P }`).join(" ")} } ${post}`;

test("the heap stays flat under endless different documents, valid and refused", async () => {
  const send = async (i: number) => {
    expect((await service.ask(different(i))).errors).toBeUndefined();
    for (let k = 0; k < 5; k++)
      expect((await service.ask(`{ no${i}_${k} ${"title ".repeat(150)} }`)).errors).toBeDefined();
  };
  for (let i = 0; i < 3; i++) await send(i);
  const before = await heapInUse();
  for (let i = 3; i < 9; i++) await send(i);
  // Without a bound, 15 MB.
  expect((await heapInUse()) - before).toBeLessThan(4_000_000);
});
