import { noteParameters } from "@content-service/errors/sqlStates.ts";
import pg from "pg";
import { closeUnconfirmed, type PreparingConnection } from "./preparedStatements.ts";

/** A statement with its parameters in text form. */
export interface PlainStatement {
  /** Under this name it is prepared; undefined to use it once. */
  name: string | undefined;
  text: string;
  values: readonly (string | null)[];
}

interface Connection extends PreparingConnection {
  stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  execute(message: object): void;
  sync(): void;
  on(event: "readyForQuery" | "end", act: () => void): void;
  off(event: "readyForQuery" | "end", act: () => void): void;
}

/** The argument of a method that node-postgres calls on its queries, and does not declare. */
interface DataRow {
  fields: (string | null)[];
}

/**
 * Several statements under one Sync, in one write: PostgreSQL runs them as one transaction without `begin` and `commit`, so
 * what one sets locally holds for those after it and no longer, and each sees the rows that those before it wrote. Resolves to
 * the only value of the last statement's row, or to undefined when it has no row. Rejects when the connection can be used again.
 *
 * node-postgres sends a Sync with each query. It accepts a query with messages of its own, and with `pipeline` only one
 * that extends its own class.
 */
export class ImplicitTransaction extends pg.Query {
  // The statement whose messages arrive now: node-postgres notes it as prepared by its name and text.
  declare name: string | undefined;
  declare text: string;
  declare values: (string | null)[];
  readonly statements: readonly PlainStatement[];
  readonly result: Promise<string | undefined>;
  readonly #settle: PromiseWithResolvers<string | undefined>;
  #finished = 0;
  #value: string | undefined;

  /** @param statements at least one */
  constructor(statements: readonly PlainStatement[]) {
    const [{ text, values }] = statements as readonly [PlainStatement];
    // node-postgres copies a configuration, property by property.
    super(text, [...values]);
    this.statements = statements;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  /** How many statements are complete. All of them while the transaction commits. */
  get finished(): number {
    return this.#finished;
  }

  override submit = (given: unknown): void => {
    const connection = given as Connection;
    connection.stream.cork();
    try {
      for (const statement of this.statements) this.#send(connection, statement);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    this.#expect(this.statements[0] as PlainStatement);
  };

  #send(connection: Connection, { name = "", text, values }: PlainStatement): void {
    const isPrepared =
      name !== "" && (name in connection.parsedStatements || name in connection.submittedNamedStatements);
    if (!isPrepared) {
      connection.parse({ name, text });
      if (name !== "") connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values });
    connection.execute({});
  }

  #expect({ name, text }: PlainStatement): void {
    this.name = name;
    this.text = text;
  }

  handleDataRow({ fields }: DataRow): void {
    this.#value = fields[0] ?? undefined;
  }

  handleCommandComplete(): void {
    const next = this.statements[++this.#finished];
    if (!next) return;
    // Only the last statement's row is asked for.
    this.#value = undefined;
    this.#expect(next);
  }

  handleError(error: Error, connection: Connection): void {
    // Not prepared, if PostgreSQL has not confirmed it before the error.
    for (const { name } of this.statements) if (name !== undefined) closeUnconfirmed(connection, name);
    if (!(error instanceof pg.DatabaseError)) return this.#settle.reject(error);
    noteParameters(error, this.statements[this.#finished]?.values ?? []);
    // PostgreSQL is ready again, or has closed the connection.
    const events = ["readyForQuery", "end"] as const;
    const reject = () => {
      for (const event of events) connection.off(event, reject);
      this.#settle.reject(error);
    };
    for (const event of events) connection.on(event, reject);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#value);
  }
}
