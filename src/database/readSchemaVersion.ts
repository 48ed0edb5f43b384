import type pg from "pg";

/** Objects of the database itself. Lower numbers are PostgreSQL's own. */
const firstOwnId = 16_384;

/** The catalogues that the engine's introspection reads, with the column that says whose object a row describes. */
const catalogues = {
  pg_attribute: "attrelid",
  pg_auth_members: undefined,
  pg_class: "oid",
  pg_constraint: "oid",
  pg_depend: "objid",
  pg_description: "objoid",
  pg_enum: "oid",
  pg_extension: undefined,
  pg_index: "indexrelid",
  pg_inherits: undefined,
  pg_namespace: undefined,
  pg_policy: undefined,
  pg_proc: "oid",
  pg_range: "rngtypid",
  pg_type: "oid",
};

const rows = Object.entries(catalogues).map(
  ([catalogue, id]) => `select tableoid, ctid, xmin from ${catalogue}${id ? ` where ${id} >= ${firstOwnId}` : ""}`,
);

const text = `
select md5(string_agg(concat_ws(' ', tableoid, ctid, xmin), ',' order by tableoid, ctid)) as version
  from (${rows.join(" union all ")}) as catalogues`;

/**
 * Identifies the state of the catalogue that the schema is built from: each change of a row gives it a new place and a new
 * transaction id. Takes a few milliseconds, a build takes hundreds.
 */
export async function readSchemaVersion(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ version: string }>(text);
  return rows[0]?.version as string;
}
