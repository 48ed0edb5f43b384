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
  await copyDatabase(root, template, name);
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
      `comment on database ${pg.escapeIdentifier(name)} is ${pg.escapeLiteral(comment)}`,
      `revoke all on database ${pg.escapeIdentifier(name)} from public`,
      ...rows.map(({ right }) => right),
    ].join("; "),
  );
}

/**
 * Creates a database as a copy of another one.
 *
 * @param root connected to neither of them
 */
export async function copyDatabase(root: Pick<pg.Pool, "query">, template: string, name: string): Promise<void> {
  // Copying files is faster than logging each page, but makes a checkpoint, which only a server that does not wait for its disk does at once.
  const { rows } = await root.query<{ strategy: string }>(
    `select case when current_setting('fsync') = 'off' and current_setting('server_version_num')::int >= 150000
                 then 'strategy file_copy' else '' end as strategy`,
  );
  await root.query(
    `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)} ${rows[0]?.strategy}`,
  );
}
