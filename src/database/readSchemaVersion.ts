import type pg from "pg";

/** Objects of the database itself. Lower numbers are PostgreSQL's own. */
const firstOwnId = 16_384;

/** The rows of a catalogue that describe objects of the database itself. */
const own = (id: string) => `where ${id} >= ${firstOwnId}`;

/** The catalogues that the engine's introspection reads, with what chooses the rows that can change the API. */
const catalogues = {
  pg_attribute: own("attrelid"),
  // Of the whole server: other databases' logins come and go.
  pg_auth_members: "where pg_has_role(member, 'member')",
  pg_class: own("oid"),
  pg_constraint: own("oid"),
  pg_depend: own("objid"),
  pg_description: own("objoid"),
  pg_enum: own("oid"),
  pg_extension: "",
  pg_index: own("indexrelid"),
  pg_inherits: "",
  pg_namespace: "",
  pg_policy: "",
  pg_proc: own("oid"),
  pg_range: own("rngtypid"),
  pg_type: own("oid"),
};

const rows = Object.entries(catalogues).map(
  ([catalogue, condition]) => `select tableoid, ctid, xmin from ${catalogue} ${condition}`,
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
