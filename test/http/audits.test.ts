import { expect, test } from "@jest/globals";
import { serverAudits } from "graphql-http";
import { useService } from "../support/service.ts";

/* GraphQL over HTTP, as the package that stands for its specification checks it: every MUST and every SHOULD. */
const service = useService();
const audits = serverAudits({ url: () => service.url, fetchFn: fetch });

test("there are as many audits as ever", () => {
  expect(audits.length).toBeGreaterThanOrEqual(61);
});

test.each(audits.map((audit) => [audit.name, audit] as const))("%s", async (name, audit) => {
  const result = await audit.fn();
  if (/^MAY /.test(name) && result.status !== "ok") {
    // What a server may do, and this one does not: GET, and a status of 400 for a client of the older media type.
    expect(result.status).toBe("notice");
    return;
  }
  expect({ status: result.status, reason: "reason" in result ? result.reason : undefined }).toEqual({
    status: "ok",
    reason: undefined,
  });
});
