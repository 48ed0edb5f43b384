import pg from "pg";

/**
 * Creates a database as a clone of another one, with the rights on that database: they do not belong to its content.
 *
 * @param root connected to neither of them
 * @param comment of the new database, as a clone has none
 */
export async function cloneDatabase(
  root: pg.ClientBase,
  template: string,
  name: string,
  comment: string,
): Promise<void> {
  const database = `database ${pg.escapeIdentifier(name)}`;
  // Copying files is faster than logging each page, but makes a checkpoint, which only a server that does not wait for its disk does at once.
  const {
    rows: [server],
  } = await root.query<{ strategy: string }>(
    `select case when current_setting('fsync') = 'off' and current_setting('server_version_num')::int >= 150000
                 then 'strategy file_copy' else '' end as strategy`,
  );
  await root.query(`create ${database} template ${pg.escapeIdentifier(template)} ${server?.strategy}`);
  const { rows } = await root.query<{ right: string }>(
    `select format('grant %s on database %I to %s%s', privilege_type, $2::text,
                   case when grantee = 0 then 'public' else grantee::regrole::text end,
                   case when is_grantable then ' with grant option' else '' end) as right
       from pg_catalog.pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
      where datname = $1::name and grantee <> datdba`,
    [template, name],
  );
  await root.query(
    [
      `comment on ${database} is ${pg.escapeLiteral(comment)}`,
      `revoke all on ${database} from public`,
      ...rows.map(({ right }) => right),
    ].join("; "),
  );
}
