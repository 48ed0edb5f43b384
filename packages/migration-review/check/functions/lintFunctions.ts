import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { loadModule } from "libpg-query";
import pg from "pg";
import type { Project } from "../../Project.ts";
import { type Finding, findingOf } from "../finding.ts";
import { explainStatements } from "./explainStatements.ts";
import { locateBody, type Routine, readRoutines, type SqlFile, type TriggerTable } from "./routines.ts";

/** A statement that PostgreSQL cannot resolve. */
interface Problem {
  sqlState: string;
  message: string;
  /** In the body; undefined when PostgreSQL does not say it. */
  line: number | undefined;
  table?: string | undefined;
  /** The extension does not know what earlier statements or handlers do, so its findings may be wrong. */
  isByExtension?: boolean;
}

/**
 * Finds the functions whose body does not fit the tables, types and functions that the database has now. PostgreSQL does not
 * notice this: it looks into a body only when a call reaches the statement. Nothing is run, and nothing is left behind.
 *
 * PostgreSQL explains each statement of a function in PL/pgSQL (explainStatements.ts). A function with other statements is checked by
 * the extension plpgsql_check as well, where the server has it. Its findings only warn: it does not know the temporary tables
 * that a function creates, or the errors that it handles.
 *
 * @param client in a transaction
 * @param files the files in which functions are written
 * @param isChanged whether the author wants to know what was not checked in a function
 * @param found findings of another state of the database: only their functions are checked
 */
export async function lintFunctions(
  client: pg.ClientBase,
  project: Project,
  files: SqlFile[],
  isChanged: (signature: string) => boolean,
  found?: Finding[],
): Promise<Finding[]> {
  await loadModule();
  await client.query("savepoint review");
  try {
    const routines = await readRoutines(client, project);
    const hasExtension = await createExtension(client);
    const unseen = new Set<string>();
    const findings: Finding[] = [];
    // Gives the session its temporary schema. If each attempt created one, PostgreSQL would look through all its plans each time.
    await client.query("create domain pg_temp._check as int; savepoint attempt");
    for (const routine of routines) {
      if (found && !found.some(({ object }) => object === routine.name)) continue;
      const problems: Problem[] = [];
      // The function of a trigger is checked for each table, because their columns differ. One that no table uses cannot be called.
      for (const trigger of routine.isTrigger ? routine.tables : [undefined]) {
        const { found, seesAll } =
          routine.language === "sql"
            ? { found: await validate(client, routine), seesAll: true }
            : await explain(client, routine, trigger);
        if (!seesAll && isChanged(routine.signature)) unseen.add(routine.name);
        if (!seesAll && hasExtension) {
          const others = await askExtension(client, routine, trigger);
          found.push(...others.filter(({ message }) => !found.some((problem) => problem.message === message)));
        }
        problems.push(...found.map((problem) => ({ ...problem, table: trigger?.table })));
      }
      findings.push(...problemFindings(routine, problems, files));
    }
    return hasExtension || unseen.size === 0
      ? findings
      : [...findings, findingOf("unseen", "functions", `Not checked in full: ${[...unseen].join(", ")}.`)];
  } finally {
    await client.query("rollback to savepoint review");
  }
}

async function createExtension(client: pg.ClientBase): Promise<boolean> {
  await client.query("savepoint extension");
  try {
    await client.query("create extension plpgsql_check with schema public");
    return true;
  } catch {
    await client.query("rollback to savepoint extension");
    return false;
  }
}

/** Runs statements after undoing those of the attempt before. One round trip: there are hundreds of attempts. */
async function attempt(client: pg.ClientBase, ...statements: string[]): Promise<void> {
  await client.query(["rollback to savepoint attempt", ...statements].join("; "));
}

async function validate(client: pg.ClientBase, routine: Routine): Promise<Problem[]> {
  try {
    await attempt(client, ...settingsOf(routine), validationOf(routine));
    return [];
  } catch (error) {
    return [problemOf(error, routine)];
  }
}

/** The check that PostgreSQL makes when a function is created: it parses the body, and compares the columns of the result. */
function validationOf({ language, oid }: Routine): string {
  return `select pg_catalog.${language === "sql" ? "fmgr_sql_validator" : "plpgsql_validator"}(${oid})`;
}

async function askExtension(
  client: pg.ClientBase,
  { oid }: Routine,
  trigger: TriggerTable | undefined,
): Promise<Problem[]> {
  await attempt(client);
  const { rows } = await client.query<{ sqlState: string; message: string; line: number | null }>(
    `select sqlstate as "sqlState", message, lineno as line
       from public.plpgsql_check_function_tb(
              $1::oid::regprocedure, coalesce($2::regclass, 0::regclass), oldtable => $3, newtable => $4)
      where level = 'error'`,
    [oid, trigger?.table, trigger?.oldTable, trigger?.newTable],
  );
  return rows.map(({ line, ...problem }) => ({ ...problem, line: line ?? undefined, isByExtension: true }));
}

async function explain(
  client: pg.ClientBase,
  routine: Routine,
  trigger: TriggerTable | undefined,
): Promise<{ found: Problem[]; seesAll: boolean }> {
  const check = explainStatements(routine, trigger?.table);
  const found: Problem[] = [];
  const listen = ({ code = "", message = "", detail }: { code?: string; message?: string; detail?: string }) =>
    found.push({ sqlState: code, message, line: Number(detail) });
  client.on("notice", listen as never);
  try {
    const tables = [...new Set([trigger?.oldTable, trigger?.newTable])].flatMap((name) =>
      name ? `create temporary table ${pg.escapeIdentifier(name)} (like ${trigger?.table})` : [],
    );
    await attempt(client, ...tables, ...settingsOf(routine), validationOf(routine), check.create, check.call);
  } catch (error) {
    // 2F005: the check ends without a result. Otherwise PostgreSQL does not accept the function, or the check.
    if (sqlStateOf(error) !== "2F005") {
      const invalid = await validate(client, routine);
      return { found: invalid.length > 0 ? invalid : found, seesAll: invalid.length > 0 };
    }
  } finally {
    client.off("notice", listen as never);
  }
  // 55000: a record has no columns yet, since only a call assigns it.
  return { found, seesAll: check.seesAll && !found.some(({ sqlState }) => sqlState === "55000") };
}

/** The settings of the function, for example its search_path. */
function settingsOf({ settings }: Routine): string[] {
  const statements = settings.map((setting) => {
    const [name = "", ...value] = setting.split("=");
    return `select set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value.join("="))}, true)`;
  });
  return ["reset search_path", ...statements];
}

function problemOf(error: unknown, { source }: Routine): Problem {
  if (!(error instanceof pg.DatabaseError)) throw error;
  const { message, code = "", internalPosition, where } = error;
  const near = /near line (\d+)|^PL\/pgSQL function .* line (\d+)/m.exec(where ?? "");
  const line = internalPosition
    ? source.slice(0, Number(internalPosition)).split("\n").length
    : Number(near?.[1] ?? near?.[2]) || undefined;
  return { sqlState: code, message, line };
}

function problemFindings(routine: Routine, problems: Problem[], files: SqlFile[]): Finding[] {
  // Class 42 is about names and types, 22P02 about values that an enum does not have. The refusals of our own functions have
  // other codes, or that of a missing right.
  const relevant = problems.filter(({ sqlState }) => /^42(?!501)|^22P02$/.test(sqlState));
  const byPlace = Map.groupBy(relevant, ({ line, sqlState, message }) => JSON.stringify([line, sqlState, message]));
  return [...byPlace.values()].map((same): Finding => {
    const { sqlState, message, line, isByExtension } = same[0] as Problem;
    const tables = same.flatMap(({ table }) => table ?? []).join(", ");
    const place = locateBody(routine, line, files);
    const fixture = /^migrations\/fixtures\/(.+):\d+$/.exec(place ?? "")?.[1];
    const failing = isByExtension ? "may not work, says plpgsql_check" : "does not work";
    const text = `${routine.signature} ${failing}${tables && ` on ${tables}`}: ${message} (${sqlState}).`;
    return findingOf("broken-function", routine.name, text, {
      severity: isByExtension ? "dangerous" : "refused",
      location: place ?? (line === undefined ? undefined : `line ${line} of its body`),
      reason: `Each ${tables ? "change of the table" : "call"} that reaches this line fails.`,
      advice: fixture
        ? `Edit it, and include it in this migration: --!include ${fixture}`
        : `Replace it in this migration, or drop it: create or replace function ${routine.name} …`,
    });
  });
}
