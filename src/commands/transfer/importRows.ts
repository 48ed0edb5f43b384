import { constraintErrorCodes, sqlStateOf } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import {
  clearStaging,
  completeReady,
  createStaging,
  type ImportStatement,
  makeReady,
  summarize,
  truncateStaging,
  writeReady,
} from "./importStatements.ts";
import type { Notes } from "./Notes.ts";
import { type Input, readRows } from "./readRows.ts";
import type { ImportRow, Refusal } from "./rows.ts";
import { type Kind, kinds, readTables, type Table } from "./tables.ts";

/** A batch is one transaction: short enough for a service that runs at the same time. */
const batchRows = 1_000;
const batchBytes = 4_000_000;

/** After so many rows, the planner needs to know of them before autovacuum finds time for it. */
const rowsThatChangePlans = 10_000;
const analyze =
  "analyze app_public.users, app_public.posts, app_public.comments, app_public.tags, app_public.post_tags, app_private.accounts";

export interface ImportOptions {
  keepIds: boolean;
  isCheck: boolean;
  /** The author of posts that name none. */
  author: string | undefined;
  /** The address of the site that was exported. */
  site: string | undefined;
  /** Is told what is left out of exports of other programs. */
  notes: Notes;
  /** Ends the import after the batch under way. */
  signal: AbortSignal;
}

export type Counts = Record<Kind, { imported: number; known: number }>;

/**
 * Imports users, posts and comments, batch by batch. Each batch is one transaction, so an import that ended early goes on where it was: rows
 * that are in the database already are left as they are.
 *
 * @param onRefusal is told of each row that is not imported, once its batch is committed
 * @param onProgress is told how far the import is, in bytes of the input: after a batch, and while it reads
 */
export async function importRows(
  client: pg.ClientBase,
  input: Input,
  { keepIds, isCheck, author, site, notes, signal }: ImportOptions,
  onRefusal: (refusal: Refusal) => Promise<void>,
  onProgress: (bytes: number, counts: Counts) => void,
): Promise<Counts> {
  const importer = await Importer.open(client, keepIds, isCheck);
  const counts = Object.fromEntries(kinds.map((kind) => [kind, { imported: 0, known: 0 }])) as Counts;
  let bytes = 0;
  let batch: ImportRow[] = [];
  let size = 0;
  const flush = async () => {
    const [first] = batch;
    if (first) {
      const { imported, known, refused } = await importer.importBatch(batch);
      counts[first.kind].imported += imported;
      counts[first.kind].known += known;
      for (const refusal of refused) await onRefusal(refusal);
    }
    batch = [];
    size = 0;
    onProgress(bytes, counts);
  };
  const addBytes = (read: number) => {
    bytes += read;
    onProgress(bytes, counts);
  };
  for await (const row of readRows(input, { client, author, site, notes }, addBytes)) {
    if ("reason" in row) {
      await onRefusal(row);
      continue;
    }
    const isFull = batch.length >= batchRows || size + row.json.length > batchBytes;
    if (isFull || (batch[0] && batch[0].kind !== row.kind)) {
      await flush();
      if (signal.aborted) return counts;
    }
    batch.push(row);
    size += row.json.length;
  }
  await flush();
  if (isCheck) await client.query("rollback");
  else if (kinds.some((kind) => counts[kind].imported > rowsThatChangePlans)) await client.query(analyze);
  return counts;
}

/** The outcome of each row of a batch. */
interface ImportOutcome {
  imported: number;
  /** Rows that the database has already. */
  known: number;
  refused: Refusal[];
}

/** Deadlocks and the like. */
const passing = /^(40...|55P03)$/;
/** Failures that have nothing to do with a row: of the connection, of the server, of these statements. */
const notOfRow = /^($|08|25|26|28|34|3[BDF]|40|42|53|55|57|58|XX)/;

interface Statements {
  ready: ImportStatement;
  complete: ImportStatement[];
  write: ImportStatement[];
}

/** Writes batches of rows of one kind. Constraints and triggers are the database's own; those of subscriptions know that this is an import. */
class Importer {
  readonly #client: pg.ClientBase;
  readonly #isCheck: boolean;
  readonly #statements: Record<Kind, Statements>;

  private constructor(client: pg.ClientBase, tables: Record<Kind, Table>, keepIds: boolean, isCheck: boolean) {
    this.#client = client;
    this.#isCheck = isCheck;
    const statementsOf = (kind: Kind): Statements => ({
      ready: makeReady(tables[kind], keepIds, tables),
      complete: completeReady(tables[kind]),
      write: writeReady(tables[kind], keepIds, isCheck),
    });
    this.#statements = Object.fromEntries(kinds.map((kind) => [kind, statementsOf(kind)])) as never;
  }

  /**
   * @param client outside any transaction; it is of no other use afterwards
   * @param isCheck everything stays in one transaction, which nobody commits
   */
  static async open(client: pg.ClientBase, keepIds: boolean, isCheck: boolean): Promise<Importer> {
    // A plan that is made while a table is empty would read all of it once it is large, also those of triggers.
    await client.query(`
      set app.is_import = on; set timezone = 'UTC'; set enable_seqscan = off; set statement_timeout = 0; set jit = off`);
    const tables = await readTables(client);
    await client.query(createStaging);
    if (isCheck) await client.query("begin");
    return new Importer(client, tables, keepIds, isCheck);
  }

  /** Imports rows of one kind in one transaction. A bad row does not keep the others out. */
  async importBatch(rows: readonly ImportRow[]): Promise<ImportOutcome> {
    for (let attempt = 1; ; attempt++) {
      await this.#client.query(this.#isCheck ? "savepoint batch" : "begin");
      try {
        const outcome = await this.#importRange(rows, true);
        await this.#client.query(this.#isCheck ? "release savepoint batch" : "commit");
        return outcome;
      } catch (error) {
        if (!passing.test(sqlStateOf(error)) || attempt === 5) throw error;
        await this.#client.query(this.#isCheck ? "rollback to savepoint batch" : "rollback");
      }
    }
  }

  /** Where a row is refused, each half of the rows is tried, so that a few bad rows among thousands cost a few statements. */
  async #importRange(rows: readonly ImportRow[], isBatch = false): Promise<ImportOutcome> {
    await this.#client.query("savepoint range");
    let failure: { error: unknown; statement: ImportStatement };
    let running: ImportStatement = { text: "" };
    try {
      const { kind } = rows[0] as ImportRow;
      const { ready, complete, write } = this.#statements[kind];
      running = ready;
      await this.#client.query(isBatch ? truncateStaging : clearStaging);
      await this.#client.query(ready.text, [JSON.stringify(rows.map(({ json }) => json))]);
      for (const statement of complete) {
        running = statement;
        await this.#client.query(statement.text);
      }
      const { rows: summary } = await this.#client.query(summarize);
      const outcome = toOutcome(rows, summary[0]);
      for (const statement of outcome.imported > 0 ? write : []) {
        running = statement;
        await this.#client.query(statement.text);
      }
      await this.#client.query("release savepoint range");
      return outcome;
    } catch (error) {
      if (notOfRow.test(sqlStateOf(error))) throw error;
      failure = { error, statement: running };
    }
    await this.#client.query("rollback to savepoint range; release savepoint range");
    const [row] = rows;
    if (row && rows.length === 1) return { imported: 0, known: 0, refused: [await this.#refuse(row, failure)] };
    const outcome: ImportOutcome = { imported: 0, known: 0, refused: [] };
    for (const part of halve(rows)) {
      const { imported, known, refused } = await this.#importRange(part);
      outcome.imported += imported;
      outcome.known += known;
      outcome.refused.push(...refused);
    }
    return outcome;
  }

  async #refuse(
    row: ImportRow,
    { error, statement }: { error: unknown; statement: ImportStatement },
  ): Promise<Refusal> {
    const errors = await this.#errorsOf(error as pg.DatabaseError);
    const named = errors.map(({ column, message }) => ({ field: statement.field ?? column, message }));
    const reason = named.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join("; ");
    return refusal(row, named[0]?.field, reason);
  }

  /** The errors of a row in the words that the API has for them. */
  async #errorsOf(error: pg.DatabaseError): Promise<{ column?: string | undefined; message: string }[]> {
    if (error.code === "FAULT") return JSON.parse(error.detail ?? "[]");
    if (error.column) return [{ column: error.column, message: "This is required." }];
    if (constraintErrorCodes[error.code ?? ""] !== undefined) {
      const { rows } = await this.#client.query(
        `select array_to_string(array(select conventions.field_name(table_id, name) from unnest(column_names) as name), ', ') as column, coalesce(message, 'This value is not allowed.') as message
           from conventions.constraint_messages where schema_name = $1 and table_name = $2 and constraint_name = $3`,
        [error.schema, error.table, error.constraint],
      );
      if (rows.length > 0) return rows;
    }
    return [{ message: error.message }];
  }
}

function halve(rows: readonly ImportRow[]): ImportRow[][] {
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(0, middle), rows.slice(middle)];
}

function toOutcome(
  rows: readonly ImportRow[],
  { known, problems }: { known: number; problems: { place: number; problem: string }[] },
): ImportOutcome {
  const refused = problems.map(({ place, problem }) =>
    refusal(rows[place - 1] as ImportRow, problem.split(":")[0], problem),
  );
  return { imported: rows.length - known - refused.length, known, refused };
}

function refusal({ file, json, lineOf }: ImportRow, field: string | undefined, reason: string): Refusal {
  return { file, line: lineOf(field), reason, json };
}
