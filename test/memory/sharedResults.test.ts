import { SharedResults } from "../../src/graphql/SharedResults.ts";
import { ByteLedger } from "../../src/memory/ByteLedger.ts";

/* A subscriber that does not read holds a page of events. What others were answered for them is bounded all the same. */
const query = {} as any;
const sizeOf = (text: string) => text.length;

test("results are computed once, until others need the room", async () => {
  const ledger = new ByteLedger(80_000);
  const results = new SharedResults(ledger);
  const events = Array.from({ length: 20 }, () => ({}) as any);
  let computed = 0;
  const answer = (event: any, bytes = 1_000) =>
    results.get(event, query, "all", async () => `${++computed}`.padEnd(bytes), sizeOf);
  for (const event of events) expect(await answer(event)).toBe(await answer(event));
  expect(computed).toBe(20);
  // The last ten are still there.
  expect(events.map((event) => results.has(event, query, "all"))).toEqual(events.map((_, i) => i >= 10));
  await answer(events[0]);
  expect(computed).toBe(21);
  // One that is larger than all of them is shared by those who wait for it, and not kept.
  const large = {} as any;
  const [one, other] = await Promise.all([answer(large, 10_001), answer(large, 10_001)]);
  expect(one).toBe(other);
  expect(results.has(large, query, "all")).toBe(false);
  expect(ledger.held.shared).toBe(10_000);
});
