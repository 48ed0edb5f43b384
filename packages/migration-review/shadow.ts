import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { changeConnection, checkConnectionString } from "@content-service/support/connectionString.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { parse } from "pg-connection-string";
import { filesAt } from "./check/sql/git.ts";
import type { Context } from "./commands/command.ts";
import { requireShadow } from "./commands/databases.ts";
import { migrate, reset } from "./migrations/graphileMigrate.ts";
import { migrateSettings, runMigrations } from "./migrations/migrate.ts";
import { createRoles, ensureRoles } from "./migrations/roles.ts";
import { ShadowServer } from "./ShadowServer.ts";

/** Runs a command's work on the shadow database. Other commands that use the same one wait. */
export async function withShadow<Result>(
  { databases, output }: Context,
  work: (shadowUrl: string) => Promise<Result>,
): Promise<Result> {
  const shadowUrl = requireShadow(databases);
  await requireSession(shadowUrl);
  return withClient(rootOf(shadowUrl), async (root) => {
    const lock = [`content-service shadow ${parse(shadowUrl).database}`];
    const { rows } = await root.query("select pg_try_advisory_lock(hashtext($1)) as is_mine", lock);
    if (!rows[0].is_mine) {
      output.error("Waiting for another command to finish with the shadow database.");
      await root.query("select pg_advisory_lock(hashtext($1))", lock);
    }
    return work(shadowUrl);
  });
}

/**
 * Drops and creates the shadow database with the committed migrations of a folder: as a clone of its template, on which the
 * migrations run that the template lacks. Without a template that fits, all of them run, and the result is kept as the
 * template.
 *
 * @param keep whether a template that lacks migrations is replaced
 * @throws StartError when the database is not a shadow database and not empty
 */
export async function resetShadow(shadowUrl: string, migrationsFolder: string, keep = false): Promise<void> {
  // graphile-migrate wants the database beside its shadow, and uses its owner only.
  const connectionString = changeConnection(shadowUrl, { database: "not_connected" });
  const run = (action: typeof reset) =>
    runMigrations(
      shadowUrl,
      (settings) => action({ ...settings, connectionString, shadowConnectionString: shadowUrl }, true),
      { migrationsFolder },
    );
  await withClient(rootOf(shadowUrl), async (root) => {
    const server = new ShadowServer(root, shadowUrl);
    await server.requireErasable();
    await server.requireCreator();
    // The shadow database need not exist yet.
    await createRoles(root);
    const states = await server.statesOf(migrationsFolder);
    const kept = await server.templateState();
    const isKept = kept !== undefined && states.includes(kept);
    if (isKept) await server.clone();
    const isComplete = kept === states.at(-1);
    if (!isComplete) await run(isKept ? migrate : reset);
    if (!isComplete && (keep || !isKept)) await server.keep(states.at(-1) as string);
  });
}

/**
 * Drops and creates the shadow database, then runs the committed migrations of the commit `base` on it. graphile-migrate runs all
 * committed migrations of a folder, so this makes one that has those of the base only.
 */
export async function resetToBase(shadowUrl: string, directory: string, base: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "content-service-base-"));
  const old = filesAt(directory, base, "migrations/committed");
  const committed = join(directory, "migrations/committed");
  try {
    await mkdir(join(folder, "current"));
    await cp(join(directory, "migrations/hooks"), join(folder, "hooks"), { recursive: true });
    await cp(committed, join(folder, "committed"), {
      recursive: true,
      filter: (file) => file === committed || old.has(relative(directory, file)),
    });
    await resetShadow(shadowUrl, folder, true);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The connection string of the API's login to a database: the login of API_DATABASE_URL, where it is set. */
export async function apiLogin(url: string, { API_DATABASE_URL }: NodeJS.ProcessEnv): Promise<string> {
  if (!API_DATABASE_URL) return ensureRoles(url);
  const { user = "", password = "" } = parse(checkConnectionString(API_DATABASE_URL));
  return changeConnection(url, { user, password });
}

function rootOf(shadowUrl: string): string {
  return migrateSettings(shadowUrl).rootConnectionString;
}
