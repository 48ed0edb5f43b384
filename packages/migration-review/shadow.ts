import { cpSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { requireSession } from "@content-service/support/route.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { parse } from "pg-connection-string";
import type { Base } from "./check/sql/git.ts";
import { requireShadow } from "./commands/databases.ts";
import { migrate, reset } from "./migrations/graphileMigrate.ts";
import { rootOf, runMigrations } from "./migrations/migrate.ts";
import type { Migrations } from "./migrations/settings.ts";
import type { Context, Project } from "./Project.ts";
import { ShadowServer } from "./ShadowServer.ts";

/** Runs a command's work on the shadow database. Other commands that use the same one wait. */
export async function withShadow<Result>(
  { databases, output }: Context,
  work: (shadowUrl: string) => Promise<Result>,
): Promise<Result> {
  const shadowUrl = requireShadow(databases);
  await requireSession(shadowUrl);
  return withClient(rootOf(shadowUrl), async (root) => {
    const lock = [`shadow database ${parse(shadowUrl).database}`];
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
 * @throws OperatorError when the database is not a shadow database and not empty
 */
export async function resetShadow(
  shadowUrl: string,
  { migrations, project }: { migrations: Migrations; project: Pick<Project, "prepareServer"> },
  keep = false,
): Promise<void> {
  // graphile-migrate wants the database beside its shadow, and uses its owner only.
  const connectionString = changeConnection(shadowUrl, { database: "not_connected" });
  const run = (action: typeof reset) =>
    runMigrations(shadowUrl, migrations, (settings) =>
      action({ ...settings, connectionString, shadowConnectionString: shadowUrl }, true),
    );
  await withClient(rootOf(shadowUrl), async (root) => {
    const server = new ShadowServer(root, shadowUrl);
    await server.requireErasable();
    await server.requireCreator();
    // The shadow database need not exist yet.
    await project.prepareServer?.(root);
    const states = await server.statesOf(migrations);
    const kept = await server.templateState();
    const isKept = kept !== undefined && states.includes(kept);
    if (isKept) await server.clone();
    const isComplete = kept === states.at(-1);
    if (!isComplete) await run(isKept ? migrate : reset);
    await server.mark();
    if (!isComplete && (keep || !isKept)) await server.keep(states.at(-1) as string);
  });
}

/**
 * Drops and creates the shadow database, then runs the committed migrations of the commit `base` on it. graphile-migrate runs all
 * committed migrations of a folder, so this makes one that has those of the base only.
 */
export async function resetToBase(
  shadowUrl: string,
  { migrations, project }: Pick<Context, "migrations" | "project">,
  base: Base,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "graphile-migrate-review-"));
  const old = base.filesIn("migrations/committed");
  // The rest of the folder is for actions of .gmrc, which name files there.
  const isOfBase = (file: string) => {
    const [part, name] = relative(migrations.folder, file).split(sep);
    if (part === "committed" && name) return old.has(`migrations/committed/${name}`);
    return part !== "current";
  };
  try {
    // cp() takes three times as much processor time.
    cpSync(migrations.folder, folder, { recursive: true, filter: isOfBase });
    await mkdir(join(folder, "current"));
    await resetShadow(shadowUrl, { migrations: { ...migrations, folder }, project }, true);
  } finally {
    await rm(folder, { recursive: true });
  }
}
