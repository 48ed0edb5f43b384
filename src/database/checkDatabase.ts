import { StartError } from "@content-service/support/StartError.ts";
import type pg from "pg";

const oldestVersion = 14;

/** @throws StartError when the service cannot work on this database, whatever its tables are */
export async function checkDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{
    name: string;
    version: number;
    encoding: string;
    isReadOnly: boolean;
    changesCase: boolean;
  }>(`
    select current_database() as name,
           current_setting('server_version_num')::int / 10000 as version,
           current_setting('server_encoding') as encoding,
           -- A standby counts as well.
           current_setting('transaction_read_only')::boolean as "isReadOnly",
           lower('I') = 'i' and upper('i') = 'I' as "changesCase"`);
  const [{ name, version, encoding, isReadOnly, changesCase }] = rows as [(typeof rows)[number]];
  const fault =
    version < oldestVersion
      ? `is of PostgreSQL ${version}; the service needs ${oldestVersion} or newer`
      : encoding !== "UTF8"
        ? `has the encoding ${encoding}; create one with encoding 'UTF8'`
        : !changesCase
          ? "has a locale in which “i” is not the lower case of “I”, as in Turkish, so email addresses would not match; " +
            "create one with another locale, for example C.UTF-8"
          : isReadOnly
            ? "is read-only: it is a standby, or default_transaction_read_only is on; name the primary, or turn that off"
            : undefined;
  if (fault) throw new StartError(`The database ${name} ${fault}.`);
}
