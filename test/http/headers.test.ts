import { useService } from "../support/service.ts";

const origin = "https://app.example";
const service = useService({ corsOrigins: [origin, "http://localhost:3000"] });
const closed = useService({ graphiql: false });
const body = JSON.stringify({ query: "{ postsCount }" });

const ask = (url: string, headers: Record<string, string>, method = "POST") =>
  fetch(url, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(method === "POST" ? { body } : null),
  });
/** The headers that Apollo Client, OpenTelemetry and Sentry add. */
const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,apollographql-client-name,traceparent,baggage,sentry-trace",
};

describe("browsers on other origins", () => {
  test("may send requests from an allowed origin, without cookies", async () => {
    const { headers } = await ask(service.url, { origin });
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.has("access-control-allow-credentials")).toBe(false);
    expect(headers.get("vary")).toBe("Origin, Accept, Accept-Encoding");
  });

  test("get the allowed method and headers in a preflight response", async () => {
    const response = await ask(service.url, { origin, ...preflight }, "OPTIONS");
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-methods")).toBe("GET,POST");
    expect(response.headers.get("access-control-allow-headers")).toBe(preflight["access-control-request-headers"]);
  });

  test.each(["https://evil.example", "null", "https://app.example.evil.example", "http://app.example", ""])(
    "are refused from %j",
    async (other) => {
      for (const method of ["POST", "OPTIONS"]) {
        const { headers } = await ask(service.url, { origin: other, ...preflight }, method);
        expect(headers.has("access-control-allow-origin")).toBe(false);
      }
    },
  );

  test("are refused from every origin without a list", async () => {
    const asked = await ask(closed.url, { origin });
    expect(asked.headers.has("access-control-allow-origin")).toBe(false);
    expect((await ask(closed.url, { origin, ...preflight }, "OPTIONS")).status).toBe(405);
  });
});

test("a response has headers against execution, framing and sniffing in browsers, and does not name its server", async () => {
  const { headers } = await ask(service.url, {});
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-security-policy": "default-src 'none';frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
  });
  for (const name of ["x-powered-by", "server", "etag"]) expect(headers.has(name)).toBe(false);
});

describe("GraphiQL", () => {
  test("is the response to a browser, and may run only its own scripts", async () => {
    const response = await ask(service.url, { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, "GET");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = response.headers.get("content-security-policy") ?? "";
    const scripts = (await response.text()).match(/<script/g) ?? [];
    expect(policy.match(/'sha256-/g)).toHaveLength(scripts.length);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  });

  test("is not served when it is disabled", async () => {
    expect((await ask(closed.url, { accept: "text/html" }, "GET")).status).toBe(406);
    expect((await ask(`${closed.url}/static/ruru.js`, {}, "GET")).status).toBe(404);
  });
});
