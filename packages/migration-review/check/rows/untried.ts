import type { ClientBase } from "pg";
import { type Finding, findingOf } from "../finding.ts";
import { type Node, nodesOf, tableName } from "../sql/parse.ts";
import { placeOf, readStatements, type SqlStatement } from "../sql/statements.ts";

/** A table whose rows a statement changes where a condition holds. */
interface Target {
  table: string;
  verb: "deletes" | "updates" | "merges";
}

const risk = {
  severity: "dangerous",
  reason:
    "A database in use may have such rows. Then they are changed, with all that refers to them, and nobody has looked.",
  advice: "Add such a row to the sample content, or count the rows in a database in use.",
} as const;

const verbs = { DeleteStmt: "deletes", UpdateStmt: "updates", MergeStmt: "merges" } as const;

/**
 * Finds statements that change rows by a condition, and have met none: what they do has not been tried. PostgreSQL counts the rows of each table
 * that the transaction has written, so that a `do` and a trigger that skips a row are counted as well.
 */
export class Untried {
  readonly findings: Finding[] = [];
  readonly #client: ClientBase;
  /** Rows written, by table. Tables that are not there before the change are left out. */
  #written = new Map<string, number>();

  private constructor(client: ClientBase) {
    this.#client = client;
  }

  /** Before the statements run. */
  static async open(client: ClientBase, statements: readonly SqlStatement[]): Promise<Untried> {
    const untried = new Untried(client);
    const tables = new Set(statements.flatMap(targetsOf).map(({ table }) => table));
    untried.#written = await untried.#count([...tables]);
    return untried;
  }

  /** After each statement. */
  async look(statement: SqlStatement): Promise<void> {
    const targets = targetsOf(statement).filter(({ table }) => this.#written.has(table));
    if (targets.length === 0) return;
    const now = await this.#count(targets.map(({ table }) => table));
    for (const { table, verb } of targets) {
      if (now.get(table) !== this.#written.get(table)) continue;
      const message = `Not tried: no sample row fits, so what it ${verb} in ${table} has not been seen.`;
      this.findings.push(findingOf("not-counted", table, message, { ...risk, location: placeOf(statement) }));
    }
    for (const [table, rows] of now) this.#written.set(table, rows);
  }

  async #count(tables: string[]): Promise<Map<string, number>> {
    const { rows } = await this.#client.query<{ name: string; written: number }>(
      `select name, (pg_stat_get_xact_tuples_updated(given.oid) + pg_stat_get_xact_tuples_deleted(given.oid) +
                     (select coalesce(sum(pg_stat_get_xact_tuples_updated(relid) + pg_stat_get_xact_tuples_deleted(relid)), 0)
                        from pg_partition_tree(given.oid) where relid <> given.oid))::int as written
         from unnest($1::text[]) as name cross join lateral (select to_regclass(name)::oid as oid) as given
         join pg_catalog.pg_class on pg_class.oid = given.oid and relkind in ('r', 'p')`,
      [tables],
    );
    return new Map(rows.map(({ name, written }) => [name, written]));
  }
}

/** Without those that name no row: `delete-all-rows` and `update-all-rows` are about them. */
function targetsOf(statement: SqlStatement): Target[] {
  const inner = readStatements(
    statement.lines.map(({ place }, i) => ({ text: statement.sql.split("\n")[i] ?? "", place })),
  );
  return inner.flatMap(({ kind, node }) =>
    Object.entries(verbs).flatMap(([type, verb]) =>
      nodesOf({ [kind ?? ""]: node }, type)
        .filter(({ whereClause, sourceRelation }: Node) => whereClause ?? sourceRelation)
        .map(({ relation }) => ({ table: tableName(relation), verb })),
    ),
  );
}
