import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readCommitted } from "../migrations/committed.ts";
import { resetShadow } from "../shadow.ts";
import { filesAt } from "./git.ts";

type Committed = Awaited<ReturnType<typeof readCommitted>>[number];

/** The committed migrations that the commit `base` does not have. */
export async function committedSince(directory: string, base: string): Promise<Committed[]> {
  const isOld = wasCommittedAt(directory, base);
  return (await readCommitted(join(directory, "migrations"))).filter((migration) => !isOld(migration));
}

/** Drops and creates the shadow database, then runs the committed migrations of the commit `base` on it. */
export async function resetToBase(shadowUrl: string, directory: string, base: string): Promise<void> {
  const migrations = join(directory, "migrations");
  const committed = await readCommitted(migrations);
  const files = committed.filter(wasCommittedAt(directory, base)).map(({ fullPath }) => fullPath);
  await withMigrationsAt(migrations, files, (folder) => resetShadow(shadowUrl, folder, true));
}

function wasCommittedAt(directory: string, base: string): (migration: Committed) => boolean {
  const files = filesAt(directory, base, "migrations/committed");
  return ({ realFilename }) => files.has(`migrations/committed/${realFilename}`);
}

/** graphile-migrate runs all committed migrations of a folder, so this makes one that has those of the base only. */
async function withMigrationsAt(
  migrations: string,
  files: string[],
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "content-service-base-"));
  try {
    for (const name of ["committed", "current"]) await mkdir(join(folder, name));
    await cp(join(migrations, "hooks"), join(folder, "hooks"), { recursive: true });
    for (const file of files) await cp(file, join(folder, "committed", basename(file)));
    await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
