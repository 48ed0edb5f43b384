import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, propagation, trace } from "@opentelemetry/api";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { useDatabase } from "../support/database.ts";
import { reuseSchema } from "../support/service.ts";
import { startHere } from "../support/startHere.ts";

/* A minimal OpenTelemetry collector for OTLP over HTTP, which records the spans. */
interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

const database = useDatabase();
const bodies: string[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => void collector.listen(0, "127.0.0.1", resolve));
  // OpenTelemetry's exporter looks in the environment of the process.
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => {
  delete process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  for (const api of [trace, context, propagation]) api.disable();
  return new Promise((resolve) => collector.close(resolve));
});

test("traces a request in its caller's trace and an operation on a WebSocket in its own, without variables and texts", async () => {
  const service = await startHere({ DATABASE_URL: database.ownerUrl }, undefined, { reuseSchema });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    body: JSON.stringify({
      query: "query Traced($id: ID!) { user(id: $id) { name } }",
      variables: { id: "7531902468" },
    }),
  });
  const client = createClient({ url: service.url.replace("http", "ws"), webSocketImpl: WebSocket });
  for await (const _ of client.iterate({ query: "query OnSocket { postsCount }" }));
  // A stop sends the remaining spans.
  await service[Symbol.asyncDispose]();

  const spans = bodies.flatMap((body) => spansOf(JSON.parse(body)));
  const [request, step] = ["POST /graphql", "query"].map((name) => spans.find((span) => span.name === name));
  expect(request).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
  expect(step).toMatchObject({ traceId, parentSpanId: request?.spanId });
  expect(step?.attributes).toContainEqual({ key: "graphql.operation.name", value: { stringValue: "Traced" } });
  const onSocket = spans.find(({ name }) => name === "WebSocket /graphql");
  expect(spans.find(({ parentSpanId }) => parentSpanId === onSocket?.spanId)).toMatchObject({
    traceId: onSocket?.traceId,
    attributes: expect.arrayContaining([{ key: "graphql.operation.name", value: { stringValue: "OnSocket" } }]),
  });
  expect(bodies.join()).not.toMatch(/7531902468|user\(id/);
});

function spansOf({ resourceSpans }: { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }): Span[] {
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
