/** An error as SQL reports it, by column. */
export interface ColumnError {
  column: string;
  /** All columns of a check of several, `column` among them. */
  columns?: readonly string[];
  code: string;
  message: string;
  index?: number;
  params?: Record<string, unknown>;
}

/** What the log says of an error that turns out to be the service's. */
interface ColumnErrorsOptions extends ErrorOptions {
  /** How an operator repairs it. */
  repair?: string | undefined;
  /** Whether the service wrote the row, and no statement of the request. Undefined: the error's context tells, roughly. */
  isOfServer?: boolean;
}

/** Invalid input, found by PostgreSQL. formatError() turns the columns into paths through the field's arguments. */
export class ColumnErrors extends Error {
  readonly errors: readonly ColumnError[];

  readonly repair: string | undefined;
  readonly isOfServer: boolean | undefined;

  constructor(errors: readonly ColumnError[], options?: ColumnErrorsOptions) {
    super("PostgreSQL found invalid input", options);
    this.repair = options?.repair;
    this.isOfServer = options?.isOfServer;
    this.name = "ColumnErrors";
    this.errors = errors;
  }
}
