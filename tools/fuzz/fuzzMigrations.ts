import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { Random } from "@content-service/testing/Random.ts";
import { migrate } from "../../src/database/migrations.ts";
import { commitTo } from "../../test/support/migrationsFolder.ts";
import { copyProject, type Project } from "../support/copyProject.ts";
import { type Operation, readOperations } from "../support/readOperations.ts";
import { type Kind, kindNames, kinds } from "./migrations/kinds.ts";
import { Load } from "./migrations/Load.ts";
import { compareWithList, type Expected } from "./migrations/list.ts";
import { RunningService } from "./migrations/RunningService.ts";
import { type Catalogue, readCatalogue } from "./migrations/readCatalogue.ts";
import { type Review, readReview } from "./migrations/readReview.ts";

export interface Migration {
  title: string;
  sql: string;
  /** Of a listed migration. */
  expected?: Expected;
}

export interface Trial extends Migration {
  verdict: Review["verdict"];
  /** The fate of the migration: "applied", the first finding that refuses it, or the error of PostgreSQL. */
  outcome: string;
  requests: number;
  /** The promises that were broken. */
  problems: string[];
}

export interface Options {
  /** A superuser's connection string to the server. */
  serverUrl: string;
  /** The name of a migrated database with test/support/people.sql and test/operations/content.sql. Nothing is connected to it. */
  template: string;
  /** Writes the migrations for what there is in the template. */
  write: (catalogue: Catalogue) => Migration[];
  /** Requests of each reader, and of each kind of write, before a migration; at least as many beside and after it. */
  requestsAround?: number;
  /** The load beside each migration goes on for this time. */
  loadMs?: number;
  /** Receives each trial when it has ended. */
  report?: (trial: Trial) => void;
}

const part = "migrations/current/990-change.sql";
const own = new URL("migrations/own.sql", import.meta.url);

/** `count` migrations of one to two changes, for what there is in the catalogue. Every kind has its turn. */
export function randomMigrations(seed: number, count: number, catalogue: Catalogue): Migration[] {
  const random = new Random(seed);
  const order = kindNames.map((kind) => ({ kind, place: random.next() })).sort((a, b) => a.place - b.place);
  return Array.from({ length: count }, (_, n) => {
    const { kind } = order[n % order.length] as (typeof order)[number];
    return writeMigration(random, catalogue, random.chance(0.2) ? [kind, random.pick(kindNames)] : [kind], n);
  });
}

/**
 * Lets `npm run db:check` review each migration, and runs those that pass beside a service under load.
 *
 * - A migration that the review calls safe changes no answer of test/operations.
 * - A refused one is refused with a reason, and not run.
 * - A listed one has the findings that the list names.
 * - No request fails meanwhile, and the service follows.
 */
export async function fuzzMigrations(options: Options): Promise<Trial[]> {
  const { serverUrl, template, write, report } = options;
  const urlOf = (name: string) => changeConnection(serverUrl, { database: name });
  const project = await copyProject({
    DATABASE_URL: urlOf(`${template}_loaded`),
    SHADOW_DATABASE_URL: urlOf(`${template}_shadow`),
  });
  const trials: Trial[] = [];
  try {
    await commitTo(join(project.directory, "migrations"), await readFile(own, "utf8"));
    await project.seal("What a publication has of its own");
    await migrate(urlOf(template), join(project.directory, "migrations"));
    for (const migration of write(await withClient(urlOf(template), readCatalogue))) {
      const trial = await tryOut(migration, project, options);
      trials.push(trial);
      report?.(trial);
    }
  } finally {
    await project.remove();
    for (const name of [`${template}_shadow`, `${template}_shadow_template`]) {
      await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    }
  }
  return trials;
}

function writeMigration(random: Random, catalogue: Catalogue, kindsOfOne: Kind[], n: number): Migration {
  const changes = kindsOfOne.map((kind, place) =>
    kinds[kind](random, catalogue, `random_${n}${String.fromCharCode(97 + place)}`),
  );
  return { title: kindsOfOne.join(" and "), sql: `${changes.join("\n\n")}\n` };
}

async function tryOut(migration: Migration, project: Project, options: Options): Promise<Trial> {
  await project.write(part, migration.sql);
  try {
    const review = readReview(await project.db("check", "--json"));
    const { verdict, findings, failure } = review;
    const refusals = findings.filter(({ severity }) => severity === "refused");
    const problems = refusals
      .filter(({ reason }) => !reason)
      .map(({ message }) => `Refused without a reason: ${message}`);
    if (verdict === "fails" && !failure) problems.push("The review ends with a stack trace.");
    if (migration.expected) problems.push(...compareWithList(review, migration.expected));
    const trial: Trial = { ...migration, verdict, outcome: refusals[0]?.message ?? failure, requests: 0, problems };
    if (verdict !== "safe" && verdict !== "dangerous") return trial;
    const { serverUrl, template } = options;
    const start = (use: string) => RunningService.start(serverUrl, template, `${template}_${use}`);
    const folder = join(project.directory, "migrations");
    const operations = readOperations();
    await applyUnderLoad(trial, await start("loaded"), folder, operations, options);
    if (trial.outcome === "applied" && verdict === "safe") {
      problems.push(...(await compareAnswers(await start("compared"), folder, operations)));
    }
    return trial;
  } finally {
    await rm(join(project.directory, part));
  }
}

async function applyUnderLoad(
  trial: Trial,
  service: RunningService,
  folder: string,
  operations: Operation[],
  { requestsAround = 15, loadMs = 0 }: Options,
): Promise<void> {
  const load = new Load(service, operations);
  const { problems } = trial;
  const apply = async () => {
    try {
      problems.push(...one(await service.migrate(folder)));
      trial.outcome = "applied";
    } catch (error) {
      trial.outcome = (error as Error).message;
    }
  };
  try {
    await load.send(requestsAround);
    load.isLenient = trial.verdict === "dangerous";
    await load.during(Promise.all([apply(), delay(loadMs)]), requestsAround);
    await load.send(requestsAround);
    trial.requests = load.requests;
    for (const failure of load.failures) problems.push(`A request failed: ${failure}`);
    if (problems.length > 0) problems.push(...service.errors.map((error) => `The service logged: ${error}`));
  } finally {
    await service.stop();
  }
}

/** The operations change content, so they run once, on a database of their own. */
async function compareAnswers(service: RunningService, folder: string, operations: Operation[]): Promise<string[]> {
  try {
    const problems = one(await service.migrate(folder));
    for (const operation of operations) {
      const { text } = await service.ask(operation);
      const found = `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
      if (found !== operation.answer) problems.push(`${operation.name} is answered with ${text}`);
    }
    if (problems.length > 0) problems.push(...service.errors.map((error) => `The service logged: ${error}`));
    return problems;
  } finally {
    await service.stop();
  }
}

function one(problem: string | undefined): string[] {
  return problem === undefined ? [] : [problem];
}
