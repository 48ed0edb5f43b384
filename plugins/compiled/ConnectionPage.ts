import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { alias, allowedCount, conditions, firstOfPartitions, orderBy, orderOf, where } from "./clauses.ts";
import { besideCursor, cursorOf, cursorValues } from "./cursors.ts";
import type { FieldArguments } from "./FieldArguments.ts";
import type { ConnectionFieldSource, FoundRows, Order, RowAlias, RowsSource } from "./fieldSource.ts";
import { NotCompiled } from "./NotCompiled.ts";

/**
 * The page of rows that a connection's fields share: the rows in one subquery, what the fields make of them in a second one
 * around it.
 */
export class ConnectionPage {
  readonly found = alias("row");
  readonly #args: FieldArguments;
  readonly #source: RowsSource;
  readonly #order: readonly Order[];
  readonly #limit: number;
  readonly #isBackwards: boolean;
  readonly #row = alias("item");
  readonly #made = alias("page");
  readonly #laterals: SQL[] = [];
  readonly #columns: SQL[] = [];
  readonly #aggregates: SQL[] = [];
  /** The cursors of the page, in its order. */
  #cursors: SQL | undefined;
  #isCounted = false;
  /** Whether one more row is read, to know whether there is one. */
  #readsOneMore = false;

  constructor(args: FieldArguments, source: RowsSource) {
    const { page } = source;
    if (!page) throw new NotCompiled();
    const [first, last] = [args.value("first") ?? null, args.value("last") ?? null];
    if (first !== null && last !== null) throw new NotCompiled();
    this.#args = args;
    this.#source = source;
    this.#order = orderOf(source, args);
    this.#limit = allowedCount(last ?? first ?? page.defaultSize, page.maxSize);
    this.#isBackwards = last !== null;
  }

  /** A list with an item for each row. */
  list({ from, json }: { from: SQL; json: SQL }): SQL {
    this.#laterals.push(from);
    const items = this.#aggregated(json, (value) => sql`json_agg(${value}${this.#inOrder()})`);
    return sql`coalesce(${items}, '[]')`;
  }

  cursor(): SQL {
    return cursorOf(this.found, this.#source.name, this.#order);
  }

  info(part: ConnectionFieldSource["field"]): SQL {
    if (part === "startCursor" || part === "endCursor") {
      this.#cursors ??= this.#aggregated(this.cursor(), (value) => sql`array_agg(${value}${this.#inOrder()})`);
      const place = part === "startCursor" ? sql`1` : sql`cardinality(${this.#cursors})`;
      return sql`(${this.#cursors})[${place}]`;
    }
    if (part !== "hasNextPage" && part !== "hasPreviousPage") throw new NotCompiled();
    const isInDirection = (part === "hasPreviousPage") === this.#isBackwards;
    this.#readsOneMore = true;
    // On the side that the page comes from, the row of the cursor is there.
    if (!isInDirection) return this.#args.isPresent(this.#isBackwards ? "before" : "after") ? sql`true` : sql`false`;
    if (this.#limit === 0) return sql`false`;
    return this.#aggregate(sql`count(*) > ${sql.literal(this.#limit)}`);
  }

  /** The number of rows, whatever the page. */
  count(row: RowAlias): SQL {
    this.#isCounted = true;
    const known = this.#source.count?.(row, this.#args);
    if (known) return known;
    const found = alias("counted");
    const all = conditions(this.#source, found, row, this.#args);
    return sql`(select count(*) from ${this.#source.from(row, this.#args)} as ${found}${where(all)})`;
  }

  /** The page, with what the fields made of it, as the beginning of a `from` list. */
  from(row: RowAlias): SQL {
    const { found } = this;
    const cursors = (["after", "before"] as const).filter((name) => this.#args.isPresent(name));
    if (this.#aggregates.length === 0) {
      // The engine selects the rows even if no field needs them, and refuses a bad cursor.
      if (!this.#isCounted || this.#readsOneMore || cursors.length > 0) throw new NotCompiled();
      return sql.blank;
    }
    const { name } = this.#source;
    const filters = (rows: RowAlias, source: Pick<RowsSource, "where"> = this.#source) => [
      ...conditions(source, rows, row, this.#args),
      ...cursors.map((cursor) => besideCursor(cursor, name, this.#order, rows, this.#args)),
    ];
    const order = orderBy(found, this.#order, this.#isBackwards);
    const columns = sql.join([sql`row_number() over (order by ${order}) as place`, ...this.#columns], ", ");
    const size = this.#limit + (this.#readsOneMore ? 1 : 0);
    const first = this.#first(row, size, cursors);
    const partitions = first ? undefined : this.#source.partitions?.(this.#args);
    const source =
      first?.from ??
      (partitions
        ? firstOfPartitions(partitions, this.#order, this.#isBackwards, size, filters)
        : this.#source.from(row, this.#args));
    const tables = sql.join([sql`${source} as ${found}`, ...this.#laterals], ", ");
    const rows = sql`select ${columns} from ${tables}${where(partitions ? [] : filters(found, first))} order by ${order} limit ${sql.literal(size)}`;
    return sql`(select ${sql.join(this.#aggregates, ", ")} from (${rows}) as ${this.#row}) as ${this.#made}, `;
  }

  /** The page from the function that finds first rows, or those after a cursor. */
  #first(row: RowAlias, size: number, cursors: readonly ("after" | "before")[]): FoundRows | undefined {
    if (this.#isBackwards || cursors.includes("before")) return undefined;
    const after = cursors.includes("after")
      ? cursorValues("after", this.#source.name, this.#order, this.#args)
      : undefined;
    return this.#source.firstRows?.(row, this.#args, size, after);
  }

  #aggregated(value: SQL, write: (column: SQL) => SQL): SQL {
    const column = sql.identifier(`value${this.#columns.length}`);
    this.#columns.push(sql`${value} as ${column}`);
    const isOnPage = sql` filter (where ${this.#row}.place <= ${sql.literal(this.#limit)})`;
    return this.#aggregate(sql`${write(sql`${this.#row}.${column}`)}${isOnPage}`);
  }

  #aggregate(value: SQL): SQL {
    const name = sql.identifier(`part${this.#aggregates.length}`);
    this.#aggregates.push(sql`${value} as ${name}`);
    return sql`${this.#made}.${name}`;
  }

  /** In all aggregates or in none: PostgreSQL sorts the rows as one of them wants them, whatever the others find then. */
  #inOrder(): SQL {
    return this.#isBackwards ? sql` order by ${this.#row}.place desc` : sql.blank;
  }
}
