import { readFile } from "node:fs/promises";
import { testSettings, useService } from "../support/service.ts";

const service = useService();

async function get(path: string, method = "GET") {
  const response = await fetch(`${service.app.url}${path}`, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The value of a series in the text format of Prometheus, or 0 without the series. */
function seriesValue(text: string, series: string): number {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? 0 : Number(line.slice(series.length));
}

/** The series of the service, without those of Node: each name with its labels. */
function ownSeries(text: string): Record<string, string[]> {
  const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = ""]) => name);
  const own = names.filter((name) => !/^(process|nodejs)_/.test(name));
  return Object.fromEntries(
    own.map((name) => {
      const [, labels = ""] = text.match(new RegExp(`^${name}(?:_count)?(?:\\{(.*?)\\})? `, "m")) ?? [];
      return [name, [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label as string)];
    }),
  );
}

describe("probes", () => {
  test("/healthz reports that the process is alive, /readyz that it accepts requests", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, text: '{"status":"alive"}' });
    expect(await get("/readyz")).toMatchObject({ status: 200, text: '{"status":"ready"}' });
  });

  test("many concurrent ones query the database once", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get("/readyz")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("allow GET and HEAD only, and are not cached", async () => {
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
    expect(
      seriesValue(text, 'graphql_requests_total{operation="Counted",type="query",transport="http",status="200"}'),
    ).toBe(2);
    expect(seriesValue(text, 'graphql_errors_total{operation="Counted",code="NOT_FOUND"}')).toBe(1);
    expect(seriesValue(text, 'graphql_errors_total{operation="none",code="GRAPHQL_VALIDATION_FAILED"}')).toBe(1);
    expect(seriesValue(text, 'graphql_request_duration_seconds_count{operation="Counted",transport="http"}')).toBe(2);
  });

  test("shows the connection pool, the event loop, and whether the service listens for messages", async () => {
    const { text } = await get("/metrics");
    const idle = seriesValue(text, 'database_connections{state="idle"}');
    const busy = seriesValue(text, 'database_connections{state="busy"}');
    expect(idle + busy).toBe(testSettings.poolSize);
    expect(seriesValue(text, "database_connections_awaited")).toBe(0);
    expect(seriesValue(text, "event_loop_awaited")).toBe(0);
    expect(text).toContain('client_bytes{reason="unread"} 0');
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
    expect(seriesValue(text, "messages_listening")).toBe(1);
    expect(seriesValue(text, "notification_queue_ratio")).toBeLessThan(0.5);
  });

  test("has a bounded number of series, whatever names clients give their operations", async () => {
    await Promise.all(Array.from({ length: 150 }, (_, i) => service.ask(`query Many${i} { postsCount }`)));
    const { text } = await get("/metrics");
    expect(text.match(/^graphql_request_duration_seconds_count/gm)?.length).toBeLessThanOrEqual(102);
    const other = 'graphql_requests_total{operation="other",type="query",transport="http",status="200"}';
    expect(seriesValue(text, other)).toBeGreaterThanOrEqual(50);
  });

  test("matches docs/monitoring.md: each series of the service, with its labels", async () => {
    await service.ask("{ nothing }");
    const { text } = await get("/metrics");
    const manual = await readFile(new URL("../../docs/monitoring.md", import.meta.url), "utf8");
    const [table = ""] = manual.split("\n## Metrics\n")[1]?.split("\n## ") ?? [];
    const rows = [...table.matchAll(/^\| `(\w+)` *\|(.*?)\|/gm)];
    const documented = rows.map(([, name, labels = ""]) => [name, labels.match(/\w+/g) ?? []]);
    expect(documented.length).toBeGreaterThan(5);
    expect(ownSeries(text)).toEqual(Object.fromEntries(documented));
  });
});
