import { execFileSync } from "node:child_process";

/** In a process of its own, which has nothing else to do, and ends when the memory is back. */
const script = `
  const { returnIdleMemory } = await import("./src/memory/idleMemory.ts");
  const { getHeapStatistics } = await import("node:v8");
  const total = () => getHeapStatistics().total_heap_size / 2 ** 20;
  globalThis.load = Array.from({ length: 2_000_000 }, (_, n) => ({ n }));
  const loaded = total();
  globalThis.load = undefined;
  returnIdleMemory(20);
  const looking = setInterval(() => {
    if (total() > loaded / 2) return;
    console.log(JSON.stringify({ loaded, after: total() }));
    clearInterval(looking);
  }, 20);`;

test("an idle process gives back what its heap has grown to", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 60_000,
  });
  const { loaded, after } = JSON.parse(output);
  expect(after).toBeLessThan(loaded - 40);
});
