import { fuzzMigrations, type Trial } from "../../tools/fuzz/fuzzMigrations.ts";
import { type Kind, kindNames } from "../../tools/fuzz/migrations/kinds.ts";
import { createTemplate } from "../../tools/fuzz/migrations/operations.ts";
import { createCommitted } from "../support/template.ts";

/* A short `npm run fuzz -- migrations`, with the same migrations each time. Together they have a change of each kind. */
const safe: Kind[] = ["add a computed column", "deprecate a column"];
const dangerous: Kind[] = [
  "add a column",
  "add a column with a default",
  "add a column that clients write",
  "add a table",
  "add a mutation",
  "add a query",
  "add a view",
  "edit a function",
  "grant",
  "add an enum value",
  "add an index",
  "add a check",
  "tighten a policy",
  "add a policy",
  "set a default",
  "revoke",
  "update all rows",
];
const refused: Kind[] = [
  "add a required column",
  "add a table in a hurry",
  "add a view that reads as its owner",
  "edit a function so that it does not fit",
  "hide a function",
  "disable row-level security",
  "delete rows",
];
const renames: Kind[] = ["rename a function", "rename a function and keep its name in the API", "rename a column"];
const rest = kindNames.filter((kind) => ![safe, dangerous, refused, renames].flat().includes(kind));
const plan = [safe, dangerous, [...refused, ...renames, ...rest]];

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

test("some of them are safe, some are refused, and the safe ones are applied", () => {
  const outcomes = trials.map(({ verdict, outcome }) => `${verdict}, ${outcome}`);
  expect(outcomes).toEqual(expect.arrayContaining(["safe, applied", "refused, not applied"]));
});
