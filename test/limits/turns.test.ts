import { setImmediate } from "node:timers/promises";
import { EventLoopShares } from "../../src/graphql/EventLoopShares.ts";

const turn = { signal: new AbortController().signal, isLimited: true };

test("another caller's request does not wait behind a burst", async () => {
  const turns = new EventLoopShares();
  const order: string[] = [];
  const work = (caller: string) =>
    turns.take(caller, turn, async () => {
      await setImmediate();
      order.push(caller);
    });
  const burst = Array.from({ length: 100 }, () => work("ada"));
  await work("bob");
  expect(order.filter((caller) => caller === "ada").length).toBeLessThanOrEqual(8);
  await Promise.all(burst);
  expect(order).toHaveLength(101);
});

test("a caller that has disconnected leaves the queue", async () => {
  const turns = new EventLoopShares();
  const gone = new AbortController();
  const running = turns.take("ada", turn, async () => {});
  let isStarted = false;
  const waiting = turns.take("ada", { ...turn, signal: gone.signal }, async () => {
    isStarted = true;
  });
  gone.abort();
  await expect(waiting).rejects.toThrow();
  await running;
  expect(isStarted).toBe(false);
});

/** Runs a request that keeps the event loop busy in one piece, or pretends to. */
const busy = (turns: EventLoopShares, caller: string, ms: number, options = turn) =>
  turns.take(caller, options, async (use) => use(ms));

test("a caller whose requests keep the loop busy for long is refused after a burst, and the others are not", async () => {
  const turns = new EventLoopShares();
  await busy(turns, "bob", 1);
  await busy(turns, "ada", 1_205);
  await expect(busy(turns, "ada", 1)).rejects.toMatchObject({ extensions: { code: "RATE_LIMITED", retryAfter: 20 } });
  await busy(turns, "bob", 1);
});

test("a caller that is alone, and any caller without rate limits, is not refused", async () => {
  const turns = new EventLoopShares();
  await busy(turns, "ada", 100_000);
  await busy(turns, "ada", 1);
  await busy(turns, "bob", 1);
  const gone = new AbortController();
  const waiting = busy(turns, "ada", 1, { signal: gone.signal, isLimited: false });
  await setImmediate();
  gone.abort(new Error("waited until the client was gone"));
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
});

test("costly events delay the caller's own events, and count like requests; others wait for nothing", async () => {
  const turns = new EventLoopShares();
  const ended = new AbortController();
  await turns.takeForEvent("bob", ended.signal);
  await turns.takeForEvent("ada", ended.signal);
  // A second beyond what may be used at once, and more than the test lasts.
  turns.charge("ada", 2_005);
  const waiting = turns.takeForEvent("ada", ended.signal);
  const behind = turns.takeForEvent("ada", ended.signal);
  await turns.takeForEvent("bob", ended.signal);
  await busy(turns, "bob", 1);
  await expect(busy(turns, "ada", 1)).rejects.toMatchObject({ extensions: { code: "RATE_LIMITED" } });
  ended.abort();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await expect(behind).rejects.toMatchObject({ name: "AbortError" });
});

test("what nobody uses of the loop is given to a caller that pauses, also beside others", async () => {
  const turns = new EventLoopShares();
  await busy(turns, "bob", 1);
  // Ten seconds of a fifth.
  for (let piece = 0; piece < 500; piece++) turns.charge("ada", 4);
  const startedAt = performance.now();
  await turns.takeForEvent("ada", turn.signal);
  await busy(turns, "ada", 1);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
