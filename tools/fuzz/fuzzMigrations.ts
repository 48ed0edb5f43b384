import { rm } from "node:fs/promises";
import { join } from "node:path";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { copyProject, type Project } from "../support/copyProject.ts";
import { Random } from "../support/Random.ts";
import { type Kind, kindNames, kinds } from "./migrations/kinds.ts";
import { Load } from "./migrations/Load.ts";
import { type Operation, readOperations } from "./migrations/operations.ts";
import { RunningService } from "./migrations/RunningService.ts";
import { type Catalogue, readCatalogue } from "./migrations/readCatalogue.ts";
import { type Review, readReview } from "./migrations/readReview.ts";

export interface Migration {
  kinds: Kind[];
  sql: string;
}

export interface Trial extends Migration {
  verdict: Review["verdict"];
  /** The messages of its refusals. */
  refusals: string[];
  /** What became of it: "applied", "not applied", or the error of PostgreSQL. */
  outcome: string;
  requests: number;
  /** The promises that were broken. */
  problems: string[];
}

interface Options {
  /** A superuser's connection string to the server. */
  serverUrl: string;
  /** The name of a migrated database with test/support/people.sql and test/operations/content.sql. Nothing is connected to it. */
  template: string;
  seed: number;
  /** The kinds of the changes of each migration. */
  plan: Kind[][];
  /** Requests of each reader, and of each kind of write, before a migration; at least as many beside and after it. */
  requestsAround?: number;
  /** Receives each trial when it has ended. */
  report?: (trial: Trial) => void;
}

const part = "migrations/current/990-random.sql";

/** `count` migrations of one to two changes. Every kind has its turn. */
export function randomPlan(seed: number, count: number): Kind[][] {
  const random = new Random(seed);
  const order = kindNames.map((kind) => ({ kind, place: random.next() })).sort((a, b) => a.place - b.place);
  return Array.from({ length: count }, (_, n) => {
    const { kind } = order[n % order.length] as (typeof order)[number];
    return random.chance(0.2) ? [kind, random.pick(kindNames)] : [kind];
  });
}

/**
 * Writes random migrations, lets `npm run db:check` review each, and runs those that pass beside a service under load.
 *
 * - A migration that the review calls safe changes no answer of test/operations.
 * - A refused one is refused with a reason, and not run.
 * - No request fails meanwhile, and the service follows.
 */
export async function fuzzMigrations({
  serverUrl,
  template,
  seed,
  plan,
  requestsAround = 15,
  report,
}: Options): Promise<Trial[]> {
  const random = new Random(seed);
  const database = `${template}_${seed}`;
  const urlOf = (name: string) => changeConnection(serverUrl, { database: name });
  const catalogue = await withClient(urlOf(template), readCatalogue);
  const project = await copyProject({
    DATABASE_URL: urlOf(`${database}_loaded`),
    SHADOW_DATABASE_URL: urlOf(`${database}_shadow`),
  });
  const operations = readOperations();
  const start = (use: string) => RunningService.start(serverUrl, template, `${database}_${use}`);
  const trials: Trial[] = [];
  try {
    for (const [n, kindsOfOne] of plan.entries()) {
      const migration = writeMigration(random, catalogue, kindsOfOne, n);
      const trial = await tryOut(migration, project, operations, start, requestsAround);
      trials.push(trial);
      report?.(trial);
    }
  } finally {
    await project.remove();
    for (const name of [`${database}_shadow`, `${database}_shadow_template`]) {
      await withClient(serverUrl, (client) => client.query(`drop database if exists ${name}`));
    }
  }
  return trials;
}

function writeMigration(random: Random, catalogue: Catalogue, kindsOfOne: Kind[], n: number): Migration {
  const changes = kindsOfOne.map((kind, place) =>
    kinds[kind](random, catalogue, `random_${n}${String.fromCharCode(97 + place)}`),
  );
  return { kinds: kindsOfOne, sql: `${changes.join("\n\n")}\n` };
}

async function tryOut(
  migration: Migration,
  project: Project,
  operations: Operation[],
  start: (use: string) => Promise<RunningService>,
  requestsAround: number,
): Promise<Trial> {
  await project.write(part, migration.sql);
  try {
    const { verdict, refusals } = readReview(await project.db("check"));
    const messages = refusals.map(({ message }) => message);
    const unreasoned = refusals.filter(({ reason }) => !reason);
    const problems = unreasoned.map(({ message }) => `Refused without a reason: ${message}`);
    const trial: Trial = { ...migration, verdict, refusals: messages, outcome: "not applied", requests: 0, problems };
    if (verdict !== "safe" && verdict !== "dangerous") return trial;
    const folder = join(project.directory, "migrations");
    await applyUnderLoad(trial, await start("loaded"), folder, operations, requestsAround);
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
  requestsAround: number,
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
    await load.during(apply(), requestsAround);
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
