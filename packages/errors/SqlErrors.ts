/** An error as SQL reports it, by column. See conventions.validation_errors(). */
export interface SqlError {
  column: string;
  code: string;
  message: string;
  index?: number;
  params?: Record<string, unknown>;
}

/** Invalid input, found by PostgreSQL. formatError() turns the columns into paths through the field's arguments. */
export class SqlErrors extends Error {
  readonly errors: readonly SqlError[];

  constructor(errors: readonly SqlError[], options?: ErrorOptions) {
    super("PostgreSQL found invalid input", options);
    this.name = "SqlErrors";
    this.errors = errors;
  }
}
