import { FairSlots } from "@content-service/support/FairSlots.ts";

/** Slots, and the names of those that have entered, in order. */
function slotsOf(count: number, perCaller: number) {
  const slots = new FairSlots(count, () => perCaller);
  const entered: string[] = [];
  const ask = (caller: string, name = caller, signal?: AbortSignal) =>
    slots.enter(caller, signal).then(() => void entered.push(name));
  return { slots, entered, ask };
}

/** Lets all promises that are settled run their callbacks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a caller holds no more than its share, while slots are free", async () => {
  const { slots, entered, ask } = slotsOf(4, 2);
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  void ask("b");
  await settle();
  expect(entered).toEqual(["a1", "a2", "b"]);
  expect(slots.waiting).toBe(1);
  slots.leave("b");
  await settle();
  expect(entered).toEqual(["a1", "a2", "b"]);
  slots.leave("a");
  await settle();
  expect(entered).toEqual(["a1", "a2", "b", "a3"]);
  expect(slots.waiting).toBe(0);
});

test("callers that wait are served in turn, each in its own order", async () => {
  const { slots, entered, ask } = slotsOf(1, 1);
  void ask("first");
  for (const name of ["a1", "a2", "a3"]) void ask("a", name);
  for (const name of ["b1", "b2"]) void ask("b", name);
  void ask("c", "c1");
  await settle();
  for (const caller of ["first", "a", "b", "c", "a", "b", "a"]) {
    slots.leave(caller);
    await settle();
  }
  expect(entered).toEqual(["first", "a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("a caller that gives up leaves the queue, and takes no slot", async () => {
  const { slots, entered, ask } = slotsOf(1, 1);
  const waiting = new AbortController();
  void ask("first");
  const refused = expect(ask("a", "a1", waiting.signal)).rejects.toThrow("gone");
  void ask("b");
  waiting.abort(new Error("gone"));
  await refused;
  expect(slots.waiting).toBe(1);
  slots.leave("first");
  await settle();
  expect(entered).toEqual(["first", "b"]);
  await expect(ask("a", "a2", waiting.signal)).rejects.toThrow("gone");
});

test("one that may not enter yet lets those behind it pass, and enters as soon as it may", async () => {
  const slots = new FairSlots(2, () => 2);
  const entered: string[] = [];
  let mayEnter = false;
  const ask = (name: string, admits?: () => boolean) =>
    slots.enter("a", undefined, admits).then(() => void entered.push(name));
  void ask("first", () => mayEnter);
  void ask("second");
  await settle();
  expect(entered).toEqual(["second"]);
  mayEnter = true;
  void ask("third");
  void ask("fourth");
  slots.leave("a");
  await settle();
  expect(entered).toEqual(["second", "third", "first"]);
  expect(slots.waiting).toBe(1);
});

test("three thousand random steps never exceed a bound, and forget nobody", async () => {
  const { slots, entered, ask } = slotsOf(5, 2);
  const held = new Map<string, number>();
  let asked = 0;
  for (let step = 0; step < 3_000; step++) {
    const caller = `caller ${(step * 7_919) % 11}`;
    if (step % 3 !== 0) {
      asked += 1;
      void ask(caller);
      await settle();
    } else {
      const [holder] = [...held].filter(([, count]) => count > 0).map(([name]) => name);
      if (holder) slots.leave(holder);
      if (holder) held.set(holder, (held.get(holder) ?? 0) - 1);
      await settle();
    }
    for (const name of entered.splice(0)) {
      asked -= 1;
      held.set(name, (held.get(name) ?? 0) + 1);
    }
    const counts = [...held.values()];
    expect(Math.max(0, ...counts)).toBeLessThanOrEqual(2);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5);
    expect(slots.waiting).toBe(asked);
  }
});
