import type { PoolClient } from "pg";
import pg from "pg";

/** What each broken constraint is called where the client reads it, by SQLSTATE. */
const faultCodes: Record<string, string> = {
  "23502": "REQUIRED",
  "23503": "INVALID_REFERENCE",
  "23505": "NOT_UNIQUE",
  "23514": "INVALID",
  "23P01": "INVALID",
};

/**
 * A constraint that PostgreSQL itself found broken, as the same FAULT that app_hidden.refuse_faults() raises: the columns
 * come from the catalogue, the words from the constraint's comment. Any other error comes back as it is.
 *
 * @param client outside of any transaction; without one the error comes back as it is
 */
export async function constraintFault(error: unknown, client: PoolClient | undefined): Promise<unknown> {
  if (!(error instanceof pg.DatabaseError) || !client) return error;
  const code = faultCodes[error.code ?? ""];
  if (code === undefined) return error;
  const faults = error.column
    ? [{ column: error.column, code, message: "This is required." }]
    : await readRule(client, error, code);
  if (faults.length === 0) return error;
  const fault = new pg.DatabaseError("Input failed validation", 0, "error");
  fault.code = "FAULT";
  fault.detail = JSON.stringify(faults);
  fault.cause = error;
  return fault;
}

const findRule = `
  select unnest(column_names) as column, coalesce(message, 'This value is not allowed.') as message
    from app_hidden.rules
   where schema_name = $1 and table_name = $2 and rule_name = $3`;

async function readRule(client: PoolClient, { schema, table, constraint }: pg.DatabaseError, code: string) {
  const { rows } = await client.query<{ column: string; message: string }>(findRule, [schema, table, constraint]);
  return rows.map((row) => ({ ...row, code }));
}
