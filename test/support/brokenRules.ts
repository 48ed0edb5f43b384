import { lintCatalogue } from "../../packages/migration-review/check/catalogue/lintCatalogue.ts";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import type { TestDatabase } from "./database.ts";

/**
 * What the rules of db:check find in a database. As there, without rows: the views of analysts compute each day since the first post.
 *
 * @param directory the project's, with `migrations/rules`
 */
export function brokenRules({ owner }: TestDatabase, directory: string): Promise<string[]> {
  return rolledBack(owner, async (client) => {
    await client.query(
      "set local app.is_import = on; truncate app_public.users cascade; set local app.is_import = off",
    );
    return (await lintCatalogue(client, directory)).map(({ message }) => message);
  });
}
