import type { ColumnErrors } from "./ColumnErrors.ts";

/** A constraint is broken, and the input names none of its columns: the value is the service's. For the log. */
export class NotOfRequest extends Error {
  override readonly cause: unknown;
  /** How an operator repairs it. */
  readonly repair: string | undefined;

  constructor({ cause, repair }: ColumnErrors) {
    super("The input names no column of this");
    this.cause = cause;
    this.repair = repair;
  }
}
