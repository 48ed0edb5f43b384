import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readCommitted } from "../../migrations/committed.ts";
import { projectMigrations } from "../../migrations/migrate.ts";
import { resetShadow } from "../rebuildShadow.ts";
import { filesAt } from "./git.ts";

type Committed = Awaited<ReturnType<typeof readCommitted>>[number];

/** The committed migrations that the commit `base` does not have. */
export async function committedSince(base: string): Promise<Committed[]> {
  const isOld = wasCommittedAt(base);
  return (await readCommitted(projectMigrations)).filter((migration) => !isOld(migration));
}

/** Drops and creates the shadow database, then runs the committed migrations of the commit `base` on it. */
export async function resetToBase(shadowUrl: string, base: string): Promise<void> {
  const committed = await readCommitted(projectMigrations);
  const files = committed.filter(wasCommittedAt(base)).map(({ fullPath }) => fullPath);
  await withMigrationsAt(files, (folder) => resetShadow(shadowUrl, folder));
}

function wasCommittedAt(base: string): (migration: Committed) => boolean {
  const files = filesAt(base, "migrations/committed");
  return ({ realFilename }) => files.has(`migrations/committed/${realFilename}`);
}

/** graphile-migrate runs all committed migrations of a folder, so this makes one that has those of the base only. */
async function withMigrationsAt(files: string[], use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "content-service-base-"));
  try {
    for (const name of ["committed", "current"]) await mkdir(join(folder, name));
    await cp(join(projectMigrations, "hooks"), join(folder, "hooks"), { recursive: true });
    for (const file of files) await cp(file, join(folder, "committed", basename(file)));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
