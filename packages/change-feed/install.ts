import { readFileSync } from "node:fs";

/** A connection that runs SQL as the owner of the schema, such as a client or a pool of `pg`. */
export interface FeedOwner {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** The names that the feed's SQL uses. */
export interface FeedNames {
  /** The roles of the server, which must exist; or placeholders of graphile-migrate, such as `:API_LOGIN`. */
  roles: {
    /** The login of the service. It must be a member of the other two. */
    login: string;
    /** The role of visitors. */
    anonymous: string;
    /** The role of signed-in users. */
    member: string;
  };
  /** The schema that holds the feed; by default, `change_feed`. Two projects on one database have one each. */
  schema?: string;
  /** The setting in which policies find the id of the signed-in user; by default, `app.viewer_id`. */
  viewerSetting?: string;
  /** While this setting is `on`, triggers record nothing, as for an import; by default, `app.is_import`. */
  silentSetting?: string;
}

/** The version of the feed's SQL that this package installs. */
export const latestVersion = 13;

const advisoryLock = "select pg_advisory_xact_lock(hashtextextended('change-feed ' || $1, 0))";

/**
 * Installs the feed in the database, or upgrades it from any former version; subscriptions keep their positions. Runs in one transaction, in turn
 * with others who do so. Idempotent.
 *
 * @param owner one connection, not a pool: the statements share a transaction
 * @returns the version before, 0 if there was none, and now
 * @throws the error of PostgreSQL, after which nothing has changed
 */
export async function installChangeFeed(owner: FeedOwner, names: FeedNames): Promise<{ from: number; to: number }> {
  const { schema, roles } = resolved(names);
  await owner.query("begin");
  try {
    await owner.query(advisoryLock, [schema]);
    await checkRoles(owner, roles);
    const from = await installedVersion(owner, schema);
    if (from > latestVersion) {
      throw new Error(
        `The schema ${schema} has version ${from}, made by a newer package. This one knows ${latestVersion}.`,
      );
    }
    if (from < latestVersion) await owner.query(changeFeedSql(names, { from }));
    await owner.query("commit");
    return { from, to: latestVersion };
  } catch (error) {
    await owner.query("rollback");
    throw error;
  }
}

/**
 * The SQL that installs the feed, or upgrades it, for a migration tool: graphile-migrate runs it as it is.
 *
 * @param from the version that the database has; 0, the default, if it has none
 */
export function changeFeedSql(names: FeedNames, { from = 0 }: { from?: number } = {}): string {
  const { roles, schema, viewerSetting, silentSetting } = resolved(names);
  const versions = Array.from({ length: latestVersion - from }, (_, index) => from + index + 1);
  const text = versions
    .map((version) => readFileSync(new URL(`sql/${version}.sql`, import.meta.url), "utf8"))
    .join("\n");
  return text
    .replace(/:API_LOGIN\b/g, roles.login)
    .replace(/:API_ANONYMOUS\b/g, roles.anonymous)
    .replace(/:API_MEMBER\b/g, roles.member)
    .replace(/\bapp\.viewer_id\b/g, viewerSetting)
    .replace(/\bapp\.is_import\b/g, silentSetting)
    .replace(/\bchange_feed\b/g, schema);
}

/** @throws unless all roles exist, and the login may become the others */
async function checkRoles(owner: FeedOwner, roles: FeedNames["roles"]): Promise<void> {
  const { rows: missing } = await owner.query(
    "select name from unnest($1::text[]) as name where to_regrole(name) is null",
    [Object.values(roles)],
  );
  if (missing[0]) throw new Error(`The role ${missing[0]["name"]} does not exist`);
  for (const role of [roles.anonymous, roles.member]) {
    const { rows } = await owner.query("select pg_has_role($1, $2, 'member') as is_member", [roles.login, role]);
    if (!rows[0]?.["is_member"]) {
      throw new Error(`The login ${roles.login} cannot become ${role}: grant ${role} to ${roles.login}`);
    }
  }
}

/** A database in which a migration made the schema, before there was a package, has version 1. */
async function installedVersion(owner: FeedOwner, schema: string): Promise<number> {
  const { rows } = await owner.query(
    "select to_regclass($1 || '.streams') is not null as is_there, to_regprocedure($1 || '.version()') is not null as has_version",
    [schema],
  );
  if (!rows[0]?.["has_version"]) return rows[0]?.["is_there"] ? 1 : 0;
  const { rows: versions } = await owner.query(`select ${schema}.version() as version`);
  return Number(versions[0]?.["version"]);
}

function resolved({
  roles,
  schema = "change_feed",
  viewerSetting = "app.viewer_id",
  silentSetting = "app.is_import",
}: FeedNames) {
  const plain = {
    schema,
    "roles.login": roles.login,
    "roles.anonymous": roles.anonymous,
    "roles.member": roles.member,
  };
  for (const [option, name] of Object.entries(plain)) {
    if (!/^([a-z_][a-z0-9_]{0,39}|:[A-Z_]+)$/.test(name)) {
      throw new Error(
        `${option}: "${name}" must be a name of lower-case letters, digits and _, of at most 40 characters`,
      );
    }
  }
  for (const [option, name] of Object.entries({ viewerSetting, silentSetting })) {
    if (!/^[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*$/.test(name)) {
      throw new Error(`${option}: "${name}" must be the name of a setting, such as app.viewer_id`);
    }
  }
  return { roles, schema, viewerSetting, silentSetting };
}
