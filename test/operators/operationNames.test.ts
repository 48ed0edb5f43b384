import { Metrics } from "../../src/observe/Metrics.ts";
import { useService } from "../support/service.ts";

/* Clients choose operation names. Invented ones neither grow the metrics nor hide the real ones. */
const service = useService({ graphiql: false });

function labelsOf(text: string) {
  return new Set([...text.matchAll(/operation="(\w+)"/g)].map(([, name]) => name));
}

test("100 invented names do not hide an operation that is requested later", async () => {
  for (let n = 0; n < 110; n++) await service.ask(`query Invented${n} { __typename }`);
  for (let n = 0; n < 3; n++) await service.ask("query Real { __typename }");
  const metrics = await (await fetch(`${service.app.url}/metrics`)).text();
  expect(metrics).toMatch(/graphql_requests_total\{operation="Real"/);
});

test("endless invented names leave the popular ones and a bounded number of labels", async () => {
  const metrics = new Metrics();
  const count = (operationName: string) =>
    metrics.countRequest({ operationName, operationType: "query", codes: ["TIMEOUT"], transport: "http", seconds: 0 });
  for (let n = 0; n < 5_000; n++) {
    count(`Invented${n}`);
    count(`Twice${n >> 1}`);
    if (n % 10 === 0) count("Real");
  }
  // Series of replaced names are removed asynchronously.
  await new Promise((resolve) => setImmediate(resolve));
  const { text } = await metrics.print();
  const labels = labelsOf(text);
  expect(labels).toContain("Real");
  expect(labels.size).toBeLessThanOrEqual(101);
});
