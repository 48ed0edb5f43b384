import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildClientSchema, getIntrospectionQuery } from "graphql";
import { fuzzEffects } from "../../test/fuzz/fuzzEffects.ts";
import { completeTemplate, makeTemplate } from "../../test/support/template.ts";
import { post } from "../support/post.ts";
import { readOptions } from "../support/readOptions.ts";
import { startThrowAwayPostgres } from "../support/throwAwayPostgres.ts";
import { startThrowAwayService } from "../support/throwAwayService.ts";
import { fuzz } from "./fuzz.ts";
import { fuzzAnswers, fuzzMutations } from "./fuzzAnswers.ts";
import { fuzzMigrations, type Options, randomMigrations, type Trial } from "./fuzzMigrations.ts";
import { fuzzSchemas } from "./fuzzSchemas.ts";
import { createTemplate } from "./migrations/createTemplate.ts";
import { readList } from "./migrations/list.ts";

const isOfMigrations = process.argv.includes("migrations");
const isOfSchemas = process.argv.includes("schemas");
const { count, seconds, seed, positionals } = readOptions({
  script: "fuzz",
  purpose:
    "Sends random and damaged requests to a throw-away service until it has sent --count or --seconds are over. " +
    "Exits with status 1 if a response is missing, has a wrong status, shows an internal error, internal text or a value of another " +
    "caller, or if the service ends. With the word answers: compares the answers of compiled statements with those of the engine. " +
    "With the word schemas: adds --count random objects to the schema, and exits with status 1 if a field is lost. " +
    "With the word migrations: reviews listed migrations and --count random ones, and runs those that pass beside a service; the load " +
    "beside the listed ones takes --seconds. With the word listed: those alone. With the word effects: counts what --count random changes " +
    "do to rows and roles in two ways.",
  positionals: "[answers|schemas|migrations [listed|effects]]",
  numbers: {
    count: process.argv.includes("effects") ? 300 : isOfMigrations ? 50 : isOfSchemas ? 500 : 100_000,
    seconds: isOfMigrations ? 600 : 900,
    seed: 1,
  },
});

if (positionals.includes("answers")) await compareWithEngine();
else if (isOfMigrations) await tryMigrations();
else if (isOfSchemas) await addObjects();
else await sendRequests();

async function addObjects(): Promise<void> {
  const { added, leftOut, lost } = await fuzzSchemas(count, seed);
  console.log(
    `${added} objects with seed ${seed}: ${leftOut} are listed as left out or renamed; ${lost.length} fields are lost`,
  );
  for (const field of lost.slice(0, 10)) console.log(field);
  process.exitCode = added >= count && lost.length === 0 ? 0 : 1;
}

async function tryMigrations(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "content-service-tool-"));
  const { url: serverUrl, stop } = await startThrowAwayPostgres(dataDir);
  try {
    await makeTemplate(serverUrl);
    await completeTemplate(serverUrl);
    if (positionals.includes("effects")) {
      const { tried, problems } = await fuzzEffects(serverUrl, count, seed);
      for (const problem of problems.slice(0, 10)) console.log(problem);
      console.log(`${tried} changes with seed ${seed}: ${problems.length} are counted wrongly`);
      process.exitCode = problems.length === 0 ? 0 : 1;
      return;
    }
    const listed = [...readList("dangerous"), ...readList("harmless")];
    const loaded = listed.filter(({ expected }) => !expected.findings.some(({ name }) => name.startsWith("refused")));
    const trials = await run("listed", () => listed, (seconds * 1_000) / loaded.length);
    if (!positionals.includes("listed")) {
      trials.push(...(await run("random", (catalogue) => randomMigrations(seed, count, catalogue), 0)));
    }
    const broken = trials.filter(({ problems }) => problems.length > 0);
    const verdicts = Object.entries(Object.groupBy(trials, ({ verdict }) => verdict));
    const requests = trials.reduce((sum, trial) => sum + trial.requests, 0);
    console.log(
      `${trials.length} migrations with seed ${seed}: ` +
        `${verdicts.map(([verdict, same]) => `${same?.length} ${verdict}`).join(", ")}; ${requests} requests`,
    );
    console.log(`${broken.length} migrations broke a promise`);
    process.exitCode = broken.length === 0 ? 0 : 1;
  } finally {
    await stop();
  }

  async function run(name: string, write: Options["write"], loadMs: number): Promise<Trial[]> {
    const template = `content_service_${name}`;
    await createTemplate(serverUrl, template);
    return fuzzMigrations({ serverUrl, template, write, loadMs, report: print });
  }
}

function print({ title, verdict, outcome, problems, sql }: Trial): void {
  console.log(`${verdict.padEnd(9)}  ${title}: ${outcome}`);
  if (problems.length > 0) console.log(`${problems.join("\n")}\n${sql}`);
}

async function compareWithEngine(): Promise<void> {
  const { requests, compiled, fellBack, differences } = await fuzzAnswers(count, seconds * 0.8, seed);
  console.log(
    `${requests} requests with seed ${seed}: ${compiled} compiled, ${fellBack} left to the engine by their statement`,
  );
  const writing = await fuzzMutations(count / 10, seconds * 0.2, seed);
  console.log(`${writing.mutations} mutations: ${writing.compiled} compiled, ${writing.done} had a result`);
  const all = [...differences, ...writing.differences];
  for (const difference of all.slice(0, 10)) console.log(difference);
  console.log(`${all.length} answers differ`);
  process.exitCode = all.length === 0 && requests > 0 && writing.mutations > 0 ? 0 : 1;
}

async function sendRequests(): Promise<void> {
  await using service = await startThrowAwayService();
  const { data } = await post(service.url, getIntrospectionQuery());
  const schema = buildClientSchema(data);
  // Users of the sample content who are not admins.
  const authorizations = await Promise.all(["1", "3"].map(service.authorizationOf));
  const summary = await fuzz({ url: service.url, schema, authorizations, count, seconds, seed });
  const { isRunning } = service.process;
  console.log(`${summary.requests} requests with seed ${seed}; the slowest took ${Math.round(summary.slowestMs)} ms`);
  console.table(summary.outcomes);
  for (const finding of summary.findings.slice(0, 10)) console.log(finding);
  console.log(`${summary.findings.length} findings; the service ${isRunning ? "still runs" : "HAS ENDED"}`);
  process.exitCode = summary.findings.length === 0 && isRunning ? 0 : 1;
}
