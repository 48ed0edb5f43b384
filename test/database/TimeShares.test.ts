import { TimeShares } from "@content-service/support/TimeShares.ts";

test("a caller that is alone never pauses", () => {
  const shares = new TimeShares(0.5);
  shares.use("ada", 900);
  expect(shares.pauseOf("ada")).toBe(0);
});

test("beside others, a caller pauses in proportion to what it used", () => {
  const shares = new TimeShares(0.5);
  shares.use("ada", 300);
  expect(shares.pauseOf("bob")).toBe(0);
  expect(shares.pauseOf("ada")).toBeGreaterThan(300);
  expect(shares.pauseOf("ada")).toBeLessThanOrEqual(600);
});

test("a burst is free", () => {
  const shares = new TimeShares(0.5, 400);
  shares.pauseOf("bob");
  shares.use("ada", 400);
  expect(shares.pauseOf("ada")).toBe(0);
  expect(shares.isAlone("ada")).toBe(false);
});
