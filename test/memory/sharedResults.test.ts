import { type EventResult, SharedResults } from "../../src/graphql/SharedResults.ts";
import { ByteLedger } from "../../src/memory/ByteLedger.ts";

/* A subscriber that does not read holds a page of events. What others were answered for them is bounded all the same. */
const query = {} as any;
const key = "all";
/** With these, a result takes 1,000 bytes beside what it takes as an entry. */
const ofBytes = (bytes: number): EventResult => ({ kind: "data", content: Buffer.alloc(bytes) });

function shared() {
  const ledger = new ByteLedger(8 * 20_240);
  const results = new SharedResults(ledger);
  let computed = 0;
  const fill = async (event: any, result = ofBytes(1_000)) => {
    const held = ledger.account("192.0.2.1").hold("results");
    const kind = await results.fill(held, event, query, key, async () => {
      computed += 1;
      return result;
    });
    return { held, kind };
  };
  return { ledger, results, fill, computed: () => computed };
}

test("results are computed once, until others need the room", async () => {
  const { ledger, results, fill, computed } = shared();
  const events = Array.from({ length: 20 }, () => ({}) as any);
  for (const event of events) {
    const [one, other] = [await fill(event), await fill(event)];
    expect(one.held.content).toBe(other.held.content);
    for (const { held } of [one, other]) held.release();
  }
  expect(computed()).toBe(20);
  // The last ten are still there, and counted with all that they take.
  expect(events.map((event) => results.has(event, query, key))).toEqual(events.map((_, i) => i >= 10));
  expect(ledger.held.shared).toBe(10 * 2_024);
  await fill(events[0]);
  expect(computed()).toBe(21);
});

test("a result that is larger than all of them is shared by those who wait for it, charged to each, and not kept", async () => {
  const { ledger, results, fill, computed } = shared();
  const event = {};
  const both = await Promise.all([fill(event, ofBytes(30_000)), fill(event)]);
  expect(computed()).toBe(1);
  expect(both[0]?.held.content).toBe(both[1]?.held.content);
  expect([ledger.held.results, ledger.held.shared]).toEqual([60_000, 0]);
  expect(results.has(event as any, query, key)).toBe(false);
  for (const { held } of both) held.release();
  expect(() => both[0]?.held.content).toThrow("released");
});

test.each(["unavailable", "no room"] as const)("what was %s is computed again", async (kind) => {
  const { fill, computed } = shared();
  const event = {};
  expect((await fill(event, { kind })).kind).toBe(kind);
  expect((await fill(event)).kind).toBe("data");
  expect(computed()).toBe(2);
});
