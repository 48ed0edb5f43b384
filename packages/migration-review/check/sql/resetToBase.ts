import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { resetShadow } from "../../shadow.ts";
import { filesAt } from "./git.ts";

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
