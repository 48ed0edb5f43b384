/** An error as SQL reports it, by column. */
export interface ColumnError {
  column: string;
  code: string;
  message: string;
  index?: number;
  params?: Record<string, unknown>;
}

/** Invalid input, found by PostgreSQL. formatError() turns the columns into paths through the field's arguments. */
export class ColumnErrors extends Error {
  readonly errors: readonly ColumnError[];

  constructor(errors: readonly ColumnError[], options?: ErrorOptions) {
    super("PostgreSQL found invalid input", options);
    this.name = "ColumnErrors";
    this.errors = errors;
  }
}
