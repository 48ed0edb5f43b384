import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { GraphQLSchema } from "graphql";
import { accepts, verdictOf } from "../check/finding.ts";
import { allowanceLine } from "../check/sql/migrationSql.ts";
import { readCommitted } from "../migrations/committed.ts";
import { readCurrent, writeCurrent } from "../migrations/currentSql.ts";
import { calculateHash, parseMigrationText, serializeMigration, sluggify } from "../migrations/graphileMigrate.ts";
import { hasCurrent, migrate } from "../migrations/migrate.ts";
import type { Command, Context, Options } from "../Project.ts";
import { resetShadow, withShadow } from "../shadow.ts";
import { allowancesOf, checkCommand, review } from "./check.ts";
import { writeSnapshots } from "./snapshot.ts";

/** `commit --message "posts can be scheduled"`: reviews `migrations/current`, and commits it. */
export const commitCommand: Command = {
  options: { message: { type: "string", short: "m" }, ...checkCommand.options },
  run: (context, options) => withShadow(context, (shadowUrl) => commit(context, shadowUrl, options)),
};

async function commit(context: Context, shadowUrl: string, options: Options): Promise<undefined> {
  const { message } = options;
  // graphile-migrate takes a line of at most 512 characters.
  if (typeof message !== "string" || message.trim() === "" || !/^\P{Cc}{1,512}$/u.test(message)) {
    throw new OperatorError(
      `Give a message that states the result: ${context.commandLine('commit --message "posts can be scheduled"')}`,
    );
  }
  const allowances = allowancesOf(options);
  const unexplained = allowances.find(({ reason }) => !/^\P{Cc}+$/u.test(reason ?? ""));
  if (unexplained) {
    throw new OperatorError(`The migration keeps what you allow, and why: --allow '${unexplained.name} because …'`);
  }
  if (!(await hasCurrent(context.migrations.folder)))
    throw new OperatorError("migrations/current is empty: there is nothing to commit.");
  const { findings, schema } = await review(context, shadowUrl, options);
  const { status, message: verdict } = verdictOf(findings);
  if (status !== 0) throw new OperatorError(verdict);
  context.output.log(verdict);
  const allowed = findings.filter(
    (finding) => finding.severity === "allowed" && allowances.some((allowance) => accepts(allowance, finding)),
  );
  await commitReviewed(context, shadowUrl, message, [...new Set(allowed.map(allowanceLine))], schema);
}

/**
 * Commits `migrations/current` after its review: on the shadow database, then on the database. A failure there leaves it as it was.
 *
 * @param lines what was allowed
 * @param schema the API after the change, if it has been built
 */
export async function commitReviewed(
  context: Context,
  shadowUrl: string,
  message: string,
  lines: string[],
  schema?: GraphQLSchema,
): Promise<void> {
  const { folder } = context.migrations;
  const file = await seal(folder, message, lines);
  const path = join(folder, "committed", file);
  try {
    await resetShadow(shadowUrl, context);
    await migrate(context.databases.url, context.migrations);
  } catch (error) {
    await rm(path);
    throw error;
  }
  await clearCurrent(folder);
  context.output.log(`migrations/committed/${file} is committed.`);
  await writeSnapshots(context, shadowUrl, schema);
}

/** Writes `migrations/current` as the next committed migration, as graphile-migrate's own command does. */
async function seal(migrations: string, message: string, lines: string[]): Promise<string> {
  const text = (await readCurrent(migrations)).replace(/^(--! split: .*\n)?/, (part) =>
    [part, ...lines, ""].join("\n").replace(/^\n/, ""),
  );
  const { headers, body } = parseMigrationText(join(migrations, "current"), text, false);
  const last = (await readCommitted(migrations)).at(-1);
  const after = { number: Number.parseInt(last?.filename ?? "0", 10), hash: last?.hash };
  return (await writeCommitted(migrations, after, sluggify(message), { ...headers, Message: message }, body)).file;
}

/** Writes a migration as the one after another. */
export async function writeCommitted(
  migrations: string,
  after: { number: number; hash: string | undefined },
  slug: string,
  headers: Record<string, string | null>,
  body: string,
): Promise<{ file: string; number: number; hash: string }> {
  const number = after.number + 1;
  const file = `${[String(number).padStart(6, "0"), slug].filter(Boolean).join("-")}.sql`;
  const hash = calculateHash(body, after.hash ?? null);
  const { Message, ...others } = headers;
  const text = serializeMigration(body, { ...others, Previous: after.hash ?? "-", Hash: hash, Message });
  await writeFile(join(migrations, "committed", file), text);
  return { file, number, hash };
}

async function clearCurrent(migrations: string): Promise<void> {
  await writeCurrent(migrations, "\n");
  // graphile-migrate leaves an empty part behind.
  await rm(join(migrations, "current", "1-current.sql"), { force: true });
}
