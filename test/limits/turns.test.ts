import { setImmediate } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { CallerTurns } from "../../src/support/CallerTurns.ts";

const { signal } = new AbortController();

test("another caller's request does not wait behind a burst", async () => {
  const turns = new CallerTurns();
  const order: string[] = [];
  const work = (caller: string) =>
    turns.take(caller, signal, async () => {
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
  const turns = new CallerTurns();
  const gone = new AbortController();
  const running = turns.take("ada", signal, async () => {});
  let isStarted = false;
  const waiting = turns.take("ada", gone.signal, async () => {
    isStarted = true;
  });
  gone.abort();
  await expect(waiting).rejects.toThrow();
  await running;
  expect(isStarted).toBe(false);
});
