import { fuzz } from "../../tools/fuzz/fuzz.ts";
import { useService } from "../support/service.ts";

/* A short `npm run fuzz` with the same requests each time. */
const service = useService();

test("250 random and damaged requests cause no internal error and show no internal text", async () => {
  const headers = [await service.headersOf("ada"), await service.headersOf("bob")];
  const authorizations = headers.map(({ authorization = "" }) => authorization);
  const { url, app } = service;
  const summary = await fuzz({ url, schema: app.schema, authorizations, count: 250, seed: 2, seconds: 25 });
  expect(summary.findings).toEqual([]);
  expect(summary.outcomes.data).toBeGreaterThan(10);
  expect(await service.ask("{ postsCount }")).toMatchObject({ data: { postsCount: expect.any(Number) } });
});
