import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg, { type ClientBase } from "pg";
import { fillPlaceholders } from "../../migrations/settings.ts";
import { describeError } from "../../migrations/sqlErrors.ts";
import type { Act, Caller, Context } from "../../Project.ts";
import { schemasOf } from "../../schemas.ts";
import { type Problem, readProblems } from "../catalogue/problems.ts";
import { type Finding, findingOf } from "../finding.ts";
import { changedObjects, outsideEffect, readServerObjects, staysInDatabase } from "../server/serverObjects.ts";
import type { Base } from "../sql/git.ts";
import type { MigrationSql } from "../sql/migrationSql.ts";
import { parse } from "../sql/parse.ts";
import { locateText, placeOf, readStatements, type SqlStatement, splitStatements } from "../sql/statements.ts";
import { type FailureCause, failureCauses, ownActs, tryActs } from "./acts.ts";
import { type Contents, compareContents, type RowsDiffer, readContents } from "./contents.ts";
import { Untried } from "./untried.ts";
import { compareVisibility, readVisibility, type SeenDiffer, type Visibility } from "./visibility.ts";

export interface Rehearsal {
  /** What the change does to the server: with one of these, it must not be committed on any database of it, and the rows have not been looked at. */
  server: Finding[];
  /** What it does to rows, to what callers see of them, and to what the program does with them. */
  rows: Finding[];
  /** On the rows, before and after the change, if both could be looked at. */
  problems?: [before: Problem[], after: Problem[]] | undefined;
}

export const nothingRehearsed: Rehearsal = { server: [], rows: [] };

/** SQLSTATEs: not in a transaction; a value of an enum that the same transaction adds. */
const notInTransaction = new Set(["25001", "2D000"]);
const unsafeNewValue = "55P04";

/**
 * Runs the change on the shadow database in a transaction that is rolled back, once as a new database has it and once on the sample
 * content.
 *
 * @throws OperatorError with the place of a statement that fails without rows
 */
export async function rehearse(
  shadowUrl: string,
  context: Pick<Context, "directory" | "migrations" | "project">,
  base: Base,
  { migrations }: Pick<MigrationSql, "migrations">,
): Promise<Rehearsal> {
  const statements = migrations.map(splitStatements);
  // PostgreSQL refuses the whole text, and says where.
  if (statements.flat().some(({ kind }) => kind === undefined)) return nothingRehearsed;
  return withClient(shadowUrl, async (client) => {
    const schemas = await schemasOf(client, context.project);
    const run = new Run(client, shadowUrl, context, statements);
    const changed = await run.compareServer();
    const server = [...run.refused, ...changed];
    // Callers may be among what has changed.
    const rows = server.length > 0 ? [] : await run.compareRows(schemas, await sampleText(context, base));
    return { server, rows: [...rows, ...run.notes], problems: run.problems };
  });
}

class Run {
  /** Statements whose effects no rollback would undo. */
  readonly refused: Finding[] = [];
  readonly notes: Finding[] = [];
  problems: Rehearsal["problems"];
  readonly #client: ClientBase;
  readonly #context: Pick<Context, "directory" | "migrations" | "project">;
  readonly #migrations: SqlStatement[][];
  readonly #url: string;
  readonly #skipped = new Set<SqlStatement>();

  constructor(
    client: ClientBase,
    url: string,
    context: Pick<Context, "directory" | "migrations" | "project">,
    migrations: SqlStatement[][],
  ) {
    this.#client = client;
    this.#url = url;
    this.#context = context;
    this.#migrations = migrations;
    for (const statement of migrations.flat()) {
      const effect = readStatements(statement.lines.length > 0 ? linesOf(statement) : [])
        .map(outsideEffect)
        .find(Boolean);
      if (effect) this.#refuse(statement, effect);
    }
  }

  #refuse(statement: SqlStatement, effect: string): void {
    this.#skipped.add(statement);
    this.refused.push(
      findingOf("server-wide", effect.replace(/^It \w+ /, ""), `${effect}, which no rollback undoes.`, {
        location: placeOf(statement),
      }),
    );
  }

  async compareServer(): Promise<Finding[]> {
    const client = this.#client;
    for (;;) {
      await this.#begin();
      try {
        const before = await readServerObjects(client);
        await this.#statements();
        if (changedObjects(before, await readServerObjects(client)).length === 0) return [];
        return await this.#serverFindings();
      } catch (error) {
        if (!(error instanceof StatementError)) throw error;
        if (this.#mayGoOn(error)) continue;
        throw new OperatorError(
          describeError(error.cause as pg.DatabaseError, placeOf(error.statement) ?? "", this.#context.migrations),
          { cause: error.cause },
        );
      } finally {
        await client.query("rollback");
      }
    }
  }

  /** Runs the statements again, and looks after each. */
  async #serverFindings(): Promise<Finding[]> {
    await this.#client.query("rollback");
    await this.#begin();
    const findings: Finding[] = [];
    let before = await readServerObjects(this.#client);
    await this.#statements(async (statement) => {
      const now = await readServerObjects(this.#client);
      findings.push(
        ...changedObjects(before, now).map((object) =>
          findingOf("server-wide", object, `It changes the ${object}, which belongs to the server.`, {
            location: placeOf(statement),
          }),
        ),
      );
      before = now;
    });
    return findings;
  }

  async compareRows(schemas: string[], sample: string | undefined): Promise<Finding[]> {
    const { project, directory } = this.#context;
    const client = this.#client;
    await this.#begin();
    try {
      if (sample !== undefined && !(await this.#load(sample))) return [];
      await this.#checkDeferred();
      const callers = (await project.callers?.(client)) ?? [];
      if (project.callers && callers.length === 0) {
        const message = "The owner may not take the roles of callers, so it has not been tried what they see and do.";
        this.notes.push(findingOf("not-counted", "callers", message));
      }
      const generated = project.generated?.tables ?? "$.";
      const look = async (): Promise<Looked> => ({
        contents: await readContents(client, schemas, generated),
        visibility: await readVisibility(client, schemas, generated, callers),
        derived: await this.#derived(),
      });
      const acts = async (): Promise<Act[]> => [
        ...(await ownActs(client, schemas)),
        ...((await project.acts?.(client, directory)) ?? []),
      ];
      const actsBefore = await acts();
      const before = await look();
      const problems = await readProblems(client, project.problems);
      await client.query("savepoint start");
      const untried = await Untried.open(client, this.#migrations.flat());
      await this.#statements((statement) => untried.look(statement));
      this.notes.push(...untried.findings);
      await this.#hooks();
      const now = await look();
      this.problems = [problems, await readProblems(client, project.problems)];
      const failed = await tryActs(client, await acts());
      await client.query("rollback to savepoint start");
      const suspects = actsBefore.filter(({ name }) => failed.has(name));
      const old = await tryActs(client, suspects);
      const failures = suspects.flatMap(({ name }) => (old.has(name) ? [] : [[name, failed.get(name)] as const]));
      const changed = compareContents(before.contents, now.contents);
      const isThere = isThereIn(before.contents, now.contents);
      const seen = compareVisibility(before.visibility, now.visibility, isThere, isSame(changed));
      const broken = now.derived.filter((one) => !before.derived.includes(one));
      const findings = failureFindings(
        failureCauses(failures as [string, pg.DatabaseError][], changed.length + seen.length > 0),
        this.#migrations.flat(),
        schemas,
      );
      if (changed.length + seen.length + broken.length === 0) return findings;
      return [...(await this.#countEach(before, schemas, callers, changed, seen, broken)), ...findings];
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      const { message } = error.cause as Error;
      const where = sample === undefined ? "the rows of earlier migrations" : "the sample content";
      return [
        findingOf("fails-on-rows", "rows", `Fails on ${where}: ${message}`, { location: placeOf(error.statement) }),
      ];
    } finally {
      await client.query("rollback");
    }
  }

  /** @returns false where the sample content does not fit the database before the change */
  async #load(sample: string): Promise<boolean> {
    try {
      await this.#client.query(sample);
      return true;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      const message = `The sample content cannot be loaded before the change, so nothing has been counted: ${error.message}.`;
      this.notes.push(findingOf("not-counted", "sample", message));
      return false;
    }
  }

  /** Runs the statements again, and counts after each. */
  async #countEach(
    before: Looked,
    schemas: string[],
    callers: Caller[],
    changed: RowsDiffer[],
    seen: SeenDiffer[],
    broken: string[],
  ): Promise<Finding[]> {
    const client = this.#client;
    const generated = this.#context.project.generated?.tables ?? "$.";
    const tables = new Set(changed.map(({ oid }) => oid));
    const watched = new Map(
      [...Map.groupBy(seen, ({ caller }) => caller)].map(([caller, of]) => [
        caller,
        new Set(of.map(({ relation }) => relation)),
      ]),
    );
    const findings: Finding[] = [];
    const left = new Set(broken);
    let { contents, visibility } = before;
    await this.#statements(async (statement) => {
      const now = {
        contents: tables.size > 0 ? await readContents(client, schemas, generated, tables) : contents,
        visibility: await readVisibility(client, schemas, generated, callers, watched),
      };
      const location = placeOf(statement);
      const rows = compareContents(contents, now.contents);
      const isThere = isThereIn(contents, now.contents);
      findings.push(...rows.flatMap((one) => rowFindings(one, statement)));
      const differing = compareVisibility(visibility, now.visibility, isThere, isSame(rows));
      findings.push(...seenFindings(differing, location));
      if (left.size > 0) {
        const wrong = (await this.#derived()).filter((one) => left.delete(one));
        findings.push(...derivedFindings(wrong, location));
      }
      ({ contents, visibility } = now);
    });
    return [...findings, ...derivedFindings([...left], undefined)];
  }

  async #begin(): Promise<void> {
    await this.#client.query("begin isolation level repeatable read");
    const given = (this.#context.migrations.settings["pgSettings"] ?? {}) as Record<string, string>;
    for (const [name, value] of Object.entries(given)) {
      await this.#client.query("select set_config($1, $2, true)", [name, value]);
    }
  }

  async #statements(after: (statement: SqlStatement) => Promise<void> = async () => {}): Promise<void> {
    for (const statements of this.#migrations) {
      for (const statement of statements) {
        if (this.#skipped.has(statement)) continue;
        try {
          await this.#client.query(statement.sql);
        } catch (error) {
          if (error instanceof pg.DatabaseError) throw new StatementError(statement, error);
          throw error;
        }
        await after(statement);
      }
      await this.#checkDeferred();
    }
  }

  /** As at the end of a transaction. */
  async #checkDeferred(): Promise<void> {
    const { rows } = await this.#client.query<{ names: string | null }>(
      `select string_agg(format('%s.%I', connamespace::regnamespace, conname), ', ') as names
         from pg_catalog.pg_constraint where condeferred and conparentid = 0`,
    );
    const [{ names } = { names: null }] = rows;
    await this.#client.query(`set constraints all immediate${names ? `; set constraints ${names} deferred` : ""}`);
  }

  /** The actions of `.gmrc` after the change that are files of SQL. */
  async #hooks(): Promise<void> {
    const { folder, settings } = this.#context.migrations;
    for (const action of [settings["afterCurrent"] ?? []].flat() as (string | { _?: string; file?: string })[]) {
      const file = typeof action === "string" ? action : action._ === "sql" ? action.file : undefined;
      if (file === undefined) continue;
      await this.#client.query(fillPlaceholders(await readFile(join(folder, file), "utf8"), settings, this.#url));
    }
  }

  async #derived(): Promise<string[]> {
    const query = this.#context.project.derivedData;
    if (query === undefined) return [];
    await this.#client.query("savepoint derived");
    try {
      const { rows } = await this.#client.query<unknown[]>({ text: query, rowMode: "array" });
      return rows.map((row) => row.join(" "));
    } catch (error) {
      // The change takes what it reads.
      if (!(error instanceof pg.DatabaseError)) throw error;
      await this.#client.query("rollback to savepoint derived");
      return [`cannot be checked any more: ${error.message}`];
    }
  }

  /** Leaves a statement out that cannot run in this transaction. */
  #mayGoOn({ statement, cause }: StatementError): boolean {
    const code = sqlStateOf(cause) ?? "";
    if (code === unsafeNewValue) {
      this.#skipped.add(statement);
      this.notes.push(
        findingOf("not-counted", "rows", "It needs a new value of an enum, so it has not been tried on rows.", {
          location: placeOf(statement),
        }),
      );
      return true;
    }
    if (!notInTransaction.has(code)) return false;
    if (staysInDatabase(statement)) this.#skipped.add(statement);
    else this.#refuse(statement, "It runs outside of a transaction");
    return true;
  }
}

class StatementError extends Error {
  readonly statement: SqlStatement;
  constructor(statement: SqlStatement, cause: pg.DatabaseError) {
    super(cause.message, { cause });
    this.statement = statement;
  }
}

interface Looked {
  contents: Contents;
  visibility: Visibility;
  derived: string[];
}

/** The sample content without the statements that begin and end its transaction. */
async function sampleText(
  { project, directory }: Pick<Context, "directory" | "project">,
  base: Base,
): Promise<string | undefined> {
  if (!project.sampleContent) return undefined;
  const { file } = project.sampleContent;
  const text = base.read(file) ?? (await readFile(join(directory, file), "utf8"));
  const bytes = Buffer.from(text);
  return parse(text)
    .filter(({ kind }) => kind !== "TransactionStmt")
    .map(({ start, end }) => bytes.toString("utf8", start, end))
    .join(";\n");
}

function linesOf({ sql, lines }: SqlStatement) {
  return sql.split("\n").map((text, i) => ({ text, place: (lines[i] ?? lines[0])?.place ?? "" }));
}

function isThereIn(before: Contents, after: Contents): (relation: string, key: string) => boolean {
  const named = (contents: Contents) => new Map([...contents.values()].map((table) => [table.name, table.rows]));
  const [old, now] = [named(before), named(after)];
  // A table that is not read has had no change.
  return (relation, key) => (old.get(relation)?.has(key) ?? true) && (now.get(relation)?.has(key) ?? true);
}

function isSame(changed: RowsDiffer[]): boolean {
  return changed.every(({ deleted, added }) => deleted.length + added.length === 0);
}

function rowFindings({ table, of, deleted, changed, columns }: RowsDiffer, statement: SqlStatement): Finding[] {
  const location = placeOf(statement);
  const names = (name: string) => new RegExp(`\\b${name}\\b`, "i").test(statement.sql);
  const findings: Finding[] = [];
  if (deleted.length > 0) {
    const how = names(table.replace(/^.*\./, "")) ? "" : ", which it does not name";
    findings.push(
      findingOf("rows-deleted", table, `It deletes ${deleted.length} of ${of} rows of ${table}${how}.`, {
        location,
        ...(deleted.length === of && of > 1 && { severity: "refused" as const }),
      }),
    );
  }
  if (changed > 0) {
    const unnamed = columns.filter((name) => !names(name));
    const more = unnamed.length > 0 ? `. It does not name ${unnamed.join(", ")}` : "";
    findings.push(
      findingOf(
        "rows-changed",
        table,
        `It changes ${columns.join(", ")} in ${changed} of ${of} rows of ${table}${more}.`,
        { location },
      ),
    );
  }
  return findings;
}

function seenFindings(differing: SeenDiffer[], location: string | undefined): Finding[] {
  const of = (rule: "rows-hidden" | "rows-shown", number: "hidden" | "shown", words: (one: SeenDiffer) => string) =>
    [
      ...Map.groupBy(
        differing.filter((one) => one[number] > 0),
        ({ relation }) => relation,
      ),
    ].map(([relation, some]) =>
      findingOf(rule, relation, `Of ${relation}, ${some.map(words).join(", ")}.`, { location }),
    );
  return [
    ...of("rows-hidden", "hidden", (one) => `${one.caller} no longer sees ${one.hidden} of ${one.of} rows`),
    ...of("rows-shown", "shown", (one) => `${one.caller} sees ${one.shown} rows more than ${one.of}`),
  ];
}

function derivedFindings(wrong: string[], location: string | undefined): Finding[] {
  const by = Map.groupBy(wrong, (line) => line.split(" ")[0] as string);
  return [...by].map(([derived, lines]) =>
    findingOf(
      "derived-data",
      derived,
      `${derived} no longer fits the rows, in ${lines.length} places: ${lines.slice(0, 3).join("; ")}.`,
      { location },
    ),
  );
}

function failureFindings(causes: FailureCause[], change: SqlStatement[], schemas: string[]): Finding[] {
  return causes.map(({ acts, error }) => {
    const { message, code, schema, table, where } = error;
    const more = acts.length > 3 ? ` and ${acts.length - 3} others` : "";
    const object = schema && table ? `${schema}.${table}` : (acts[0] as string);
    const text = `${acts.slice(0, 3).join(", ")}${more} ${acts.length > 1 ? "fail" : "fails"}: ${message} (${code}).`;
    const location = locateText(`${message} ${table ?? ""} ${where ?? ""}`, change, schemas);
    return findingOf(
      "write-fails",
      object,
      text.replace(/^./, (first) => first.toUpperCase()),
      {
        location,
        // Somebody has been refused, which may be meant.
        ...(code === "42501" && { severity: "dangerous" as const }),
      },
    );
  });
}
