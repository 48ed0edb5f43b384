import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withClient } from "../../src/migrations/withClient.ts";
import { changeConnection } from "../../src/support/connectionString.ts";
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
  /** Receives each trial when it has ended. */
  report?: (trial: Trial) => void;
}

const part = "migrations/current/990-random.sql";
/** Requests of each reader, and of each kind of write, before a migration; at least as many beside and after it. */
const requestsAround = 15;

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
export async function fuzzMigrations({ serverUrl, template, seed, plan, report }: Options): Promise<Trial[]> {
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
  let loaded: RunningService | undefined;
  try {
    for (const [n, kindsOfOne] of plan.entries()) {
      loaded ??= await start("loaded");
      const migration = writeMigration(random, catalogue, kindsOfOne, n);
      const trial = await tryOut(migration, project, loaded, operations, () => start("compared"));
      trials.push(trial);
      report?.(trial);
      if (trial.outcome !== "applied") continue;
      await loaded.stop();
      loaded = undefined;
    }
  } finally {
    await loaded?.stop();
    await project.remove();
    for (const name of [`${database}_shadow`, `${database}_shadow_template`]) {
      await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
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
  service: RunningService,
  operations: Operation[],
  startAnother: () => Promise<RunningService>,
): Promise<Trial> {
  const load = new Load(service, operations);
  await project.write(part, migration.sql);
  try {
    const [checked] = await Promise.all([project.db("check"), load.send(requestsAround)]);
    const { verdict, refusals } = readReview(checked);
    const problems = refusals
      .filter(({ reason }) => !reason)
      .map(({ message }) => `Refused without a reason: ${message}`);
    let outcome = "not applied";
    if (verdict === "safe" || verdict === "dangerous") {
      load.isLenient = verdict === "dangerous";
      const folder = join(project.directory, "migrations");
      outcome = "applied";
      const apply = async () => {
        try {
          problems.push(...one(await service.migrate(folder)));
        } catch (error) {
          outcome = (error as Error).message;
        }
      };
      await load.during(apply(), requestsAround);
      await load.send(requestsAround);
      if (outcome === "applied" && verdict === "safe") {
        problems.push(...(await compareAnswers(await startAnother(), folder, operations)));
      }
    }
    for (const failure of load.failures) problems.push(`A request failed: ${failure}`);
    if (problems.length > 0) problems.push(...service.errors.map((error) => `The service logged: ${error}`));
    const messages = refusals.map(({ message }) => message);
    return { ...migration, verdict, refusals: messages, outcome, requests: load.requests, problems };
  } finally {
    await rm(join(project.directory, part));
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
