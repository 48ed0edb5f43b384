import { measureCosts } from "../../tools/costs/measureCosts.ts";

test("npm run costs measures each request, write and subscription", async () => {
  const costs = await measureCosts({ posts: 100, requests: 5, sockets: 50, idleSeconds: 1 });
  const rows = costs.split("\n").filter((line) => line.startsWith("| ") && !line.includes("---"));
  expect(rows).toHaveLength(2 + 9 + 6);
  expect(rows.find((row) => row.startsWith("| createPost"))).toMatch(/\| [1-9]\d{3,} \|$/);
  expect(costs).not.toMatch(/NaN|Infinity/);
}, 120_000);
