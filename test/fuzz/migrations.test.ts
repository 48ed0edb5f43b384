import { beforeAll, expect, test } from "@jest/globals";
import { fuzzMigrations, type Trial } from "../../tools/fuzz/fuzzMigrations.ts";
import { type Kind, kindNames } from "../../tools/fuzz/migrations/kinds.ts";
import { createTemplate } from "../../tools/fuzz/migrations/operations.ts";

/* A short `npm run fuzz -- migrations`, with the same migrations each time. Together they have a change of each kind. */
const additions: Kind[] = [
  "add a column",
  "add a column with a default",
  "add a column that clients write",
  "add a table",
  "add a computed column",
  "edit a function",
  "add an enum value",
  "deprecate a column",
];
const renames: Kind[] = ["rename a column and keep its former name"];
const risks: Kind[] = [
  "add a view",
  "add a mutation",
  "add a query",
  "add an index",
  "add a check",
  "add a trigger",
  "tighten a policy",
  "grant",
  "revoke",
  "update all rows",
];
const rest = kindNames.filter((kind) => ![...additions, ...renames, ...risks].includes(kind));
const plan = [additions, renames, risks, rest];

let trials: Trial[];

beforeAll(async () => {
  const serverUrl = process.env.TEST_SERVER_URL as string;
  const template = "test_random_migrations";
  await createTemplate(serverUrl, template);
  trials = await fuzzMigrations({ serverUrl, template, seed: 1, plan });
}, 120_000);

test("random migrations keep the promises of the review and of the service", () => {
  expect(trials.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

test("some of them are safe and applied, and some are refused", () => {
  expect(trials.map(({ verdict, outcome }) => [verdict, outcome])).toEqual([]);
});
