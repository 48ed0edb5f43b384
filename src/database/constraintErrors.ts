import { type ColumnError, ColumnErrors } from "@content-service/errors/ColumnErrors.ts";
import { constraintErrorCodes } from "@content-service/errors/sqlStates.ts";
import type pg from "pg";
import type { Queryable } from "pg-caller-pool";

/**
 * Turns a constraint violation into the errors that conventions.raise_validation_errors() would report: the columns come from the
 * catalogue, the message and a code of its own from the constraint's comment. Any other error is returned as it is.
 *
 * @param database outside any transaction
 */
export async function constraintErrors(error: pg.DatabaseError, database: Queryable): Promise<unknown> {
  const code = constraintErrorCodes[error.code ?? ""];
  if (code === undefined) return error;
  const errors = error.column
    ? [{ column: error.column, code, message: "This is required." }]
    : await readMessage(database, error, code);
  return errors.length === 0 ? error : new ColumnErrors(errors, { cause: error });
}

const findMessage = `
  select unnest(column_names) as column, coalesce(message, 'This value is not allowed.') as message,
         coalesce(code, conventions.default_code(expression), $4) as code
    from conventions.constraint_messages
   where schema_name = $1 and table_name = $2 and constraint_name = $3`;

async function readMessage(
  database: Queryable,
  { schema, table, constraint }: pg.DatabaseError,
  code: string,
): Promise<ColumnError[]> {
  return (await database.query<ColumnError>(findMessage, [schema, table, constraint, code])).rows;
}
