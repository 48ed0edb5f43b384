/** A fault as SQL reports it, by column. See conventions.validation_errors(). */
export interface SqlFault {
  column: string;
  code: string;
  message: string;
  index?: number;
  params?: Record<string, unknown>;
}

/** Invalid input, found by PostgreSQL. formatError() turns the columns into paths through the field's arguments. */
export class SqlFaults extends Error {
  readonly faults: readonly SqlFault[];

  constructor(faults: readonly SqlFault[], options?: ErrorOptions) {
    super("PostgreSQL found invalid input", options);
    this.name = "SqlFaults";
    this.faults = faults;
  }
}
