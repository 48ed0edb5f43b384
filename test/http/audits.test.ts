import { serverAudits } from "graphql-http";
import { useService } from "../support/service.ts";

/* The audits of GraphQL over HTTP by its reference implementation, graphql-http: every MUST and every SHOULD. */
const service = useService();
const audits = serverAudits({ url: () => service.url, fetchFn: fetch });

test("graphql-http still has at least 61 audits", () => {
  expect(audits.length).toBeGreaterThanOrEqual(61);
});

test.each(audits.map((audit) => [audit.name, audit] as const))("%s", async (name, audit) => {
  const result = await audit.fn();
  if (/^MAY /.test(name) && result.status !== "ok") {
    // Optional, and not supported here: GET, and status 400 for clients that accept only application/json.
    expect(result.status).toBe("notice");
    return;
  }
  expect({ status: result.status, reason: "reason" in result ? result.reason : undefined }).toEqual({
    status: "ok",
    reason: undefined,
  });
});
