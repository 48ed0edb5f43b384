import { describe, expect, test } from "@jest/globals";
import { useService } from "../support/service.ts";

const service = useService();

async function get(path: string, method = "GET") {
  const response = await fetch(`${service.app.url}${path}`, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The value of a series in Prometheus' text, 0 where it is not there. */
function valueOf(text: string, series: string): number {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length));
}

describe("probes", () => {
  test("/healthz says that the process is alive, /readyz that requests may come", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, text: '{"status":"alive"}' });
    expect(await get("/readyz")).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  test("many at once ask the database once", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get("/readyz")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("are for reading, and not kept by anybody", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      expect(await get(path, "POST")).toMatchObject({ status: 405 });
      const { status, headers, text } = await get(path, "HEAD");
      expect([status, headers.get("cache-control"), text]).toEqual([200, "no-store", ""]);
    }
  });
});

describe("/metrics", () => {
  test("counts requests, errors and durations by operation", async () => {
    await service.ask("query Counted { postsCount }");
    await service.ask(`query Counted { user(id: "404") { id } }`);
    await service.ask("{ nothing }");
    const { text, headers } = await get("/metrics");
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(valueOf(text, 'graphql_requests_total{operation="Counted",type="query",status="200"}')).toBe(2);
    expect(valueOf(text, 'graphql_errors_total{operation="Counted",code="NOT_FOUND"}')).toBe(1);
    expect(valueOf(text, 'graphql_errors_total{operation="none",code="GRAPHQL_VALIDATION_FAILED"}')).toBe(1);
    expect(valueOf(text, 'graphql_request_duration_seconds_count{operation="Counted"}')).toBe(2);
  });

  test("knows the pool, the event loop, and what others have registered", async () => {
    service.app.metrics.registerGauge("test_sockets", "A test's own.", () => 7);
    const { text } = await get("/metrics");
    const idle = valueOf(text, 'database_connections{state="idle"}');
    const busy = valueOf(text, 'database_connections{state="busy"}');
    expect(idle + busy).toBe(5);
    expect(valueOf(text, "database_connections_awaited")).toBe(0);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
    expect(valueOf(text, "test_sockets")).toBe(7);
  });

  test("has a bounded number of series, whatever clients call their operations", async () => {
    await Promise.all(Array.from({ length: 150 }, (_, i) => service.ask(`query Many${i} { postsCount }`)));
    const { text } = await get("/metrics");
    expect(text.match(/^graphql_request_duration_seconds_count/gm)?.length).toBeLessThanOrEqual(102);
    const other = 'graphql_requests_total{operation="other",type="query",status="200"}';
    expect(valueOf(text, other)).toBeGreaterThanOrEqual(50);
  });
});
