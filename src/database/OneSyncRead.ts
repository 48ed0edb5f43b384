import pg from "pg";

/** A statement with its parameters in text form. */
export interface ReadStatement {
  /** Under this name it is prepared; undefined to use it once. */
  name: string | undefined;
  text: string;
  values: readonly (string | null)[];
}

interface Connection {
  stream: { cork(): void; uncork(): void };
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  execute(message: object): void;
  sync(): void;
}

/** The argument of a method that node-postgres calls on its queries, and does not declare. */
interface DataRow {
  fields: (string | null)[];
}

/**
 * Two statements under one Sync, in one write: PostgreSQL runs them as one transaction without `begin` and `commit`, so
 * what the first sets locally holds for the second and no longer. Resolves to the only value of the second statement's
 * row, or to undefined when it has no row.
 *
 * node-postgres sends a Sync with each query. It accepts a query with messages of its own, and with `pipeline` only one
 * that extends its own class.
 */
export class OneSyncRead extends pg.Query {
  // The statement whose messages arrive now: node-postgres notes it as prepared by its name and text.
  declare name: string | undefined;
  declare text: string;
  declare values: (string | null)[];
  readonly first: ReadStatement;
  readonly result: Promise<string | undefined>;
  readonly #second: ReadStatement;
  readonly #settle: PromiseWithResolvers<string | undefined>;
  #value: string | undefined;

  constructor(first: ReadStatement, second: ReadStatement) {
    super({ text: second.text, values: [...second.values] });
    this.first = first;
    this.#second = second;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  override submit = (given: unknown): void => {
    const connection = given as Connection;
    connection.stream.cork();
    try {
      this.#send(connection, this.first);
      this.#send(connection, this.#second);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    this.#expect(this.first);
  };

  #send(connection: Connection, { name = "", text, values }: ReadStatement): void {
    const isPrepared =
      name !== "" && (name in connection.parsedStatements || name in connection.submittedNamedStatements);
    if (!isPrepared) {
      connection.parse({ name, text });
      if (name !== "") connection.submittedNamedStatements[name] = text;
    }
    connection.bind({ statement: name, values });
    connection.execute({});
  }

  #expect({ name, text }: ReadStatement): void {
    this.name = name;
    this.text = text;
  }

  handleDataRow({ fields }: DataRow): void {
    this.#value = fields[0] ?? undefined;
  }

  handleCommandComplete(): void {
    // The first statement's row is not asked for.
    if (this.text !== this.first.text) return;
    this.#value = undefined;
    this.#expect(this.#second);
  }

  handleError(error: Error, connection: Connection): void {
    // Not prepared, if PostgreSQL has not confirmed it before the error.
    for (const { name } of [this.first, this.#second]) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    this.#settle.reject(error);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#value);
  }
}
