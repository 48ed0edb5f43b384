import { randomUUID } from "node:crypto";
import { fuzzMigrations } from "../../tools/fuzz/fuzzMigrations.ts";
import type { Kind } from "../../tools/fuzz/migrations/kinds.ts";
import { createTemplate } from "../../tools/fuzz/migrations/operations.ts";
import { createCommitted, onServer } from "../support/template.ts";

/* A short `npm run fuzz -- migrations`: one that the review calls safe. The command has all kinds, check.test.ts of the review what it refuses. */
const plan: Kind[][] = [["add a computed column", "deprecate a column"]];
const serverUrl = process.env.TEST_SERVER_URL as string;
const template = `test_${randomUUID().replaceAll("-", "")}`;

beforeAll(async () => {
  await createTemplate(serverUrl, template);
  await createCommitted(serverUrl, `${template}_8_shadow_template`, true);
});
afterAll(() => onServer(serverUrl, `drop database ${template}`));

test("random migrations keep the promises of the review and of the service: the safe one is applied", async () => {
  const trials = await fuzzMigrations({ serverUrl, template, seed: 8, plan, requestsAround: 5 });
  expect(trials).toMatchObject([{ verdict: "safe", outcome: "applied", problems: [] }]);
}, 120_000);
