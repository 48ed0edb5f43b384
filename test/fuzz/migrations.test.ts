import { fuzzMigrations, type Trial } from "../../tools/fuzz/fuzzMigrations.ts";
import type { Kind } from "../../tools/fuzz/migrations/kinds.ts";
import { createTemplate } from "../../tools/fuzz/migrations/operations.ts";
import { createCommitted } from "../support/template.ts";

/* A short `npm run fuzz -- migrations`: a migration that the review calls safe, and one that it refuses. The command has all kinds. */
const plan: Kind[][] = [["add a computed column", "deprecate a column"], ["add a required column"]];

let trials: Trial[];

beforeAll(async () => {
  const serverUrl = process.env.TEST_SERVER_URL as string;
  const template = "test_random_migrations";
  await createTemplate(serverUrl, template);
  await createCommitted(serverUrl, `${template}_8_shadow_template`, true);
  trials = await fuzzMigrations({ serverUrl, template, seed: 8, plan, requestsAround: 5 });
}, 120_000);

test("random migrations keep the promises of the review and of the service", () => {
  expect(trials.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

test("the safe one is applied, the refused one is not", () => {
  const outcomes = trials.map(({ verdict, outcome }) => `${verdict}, ${outcome}`);
  expect(outcomes).toEqual(["safe, applied", "refused, not applied"]);
});
