import { cpSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCommitted } from "../../packages/migration-review/migrations/committed.ts";
import { calculateHash } from "../../packages/migration-review/migrations/graphileMigrate.ts";
import { projectMigrations } from "../../src/database/migrations.ts";

export interface MigrationsFolder {
  path: string;
  /** Commits `sql` as the next migration. @returns its file */
  commit(sql: string): Promise<string>;
  /** Changes a committed file without updating its hash. */
  edit(file: string, change: (text: string) => string): Promise<void>;
}

/** Copies the project’s migrations for each test, to add to and to change; what they include is that of the project. */
export function useMigrationsFolder(): MigrationsFolder {
  const folder = {
    commit: (sql) => commitTo(folder.path, sql),
    edit: async (file, change) => writeFile(file, change(await readFile(file, "utf8"))),
  } as MigrationsFolder;

  beforeEach(async () => {
    folder.path = join(await mkdtemp(join(tmpdir(), "content-service-migrations-")), "migrations");
    for (const part of ["committed", "current", "hooks"]) {
      cpSync(join(projectMigrations, part), join(folder.path, part), { recursive: true });
    }
    await symlink(join(projectMigrations, "fixtures"), join(folder.path, "fixtures"));
  });
  afterEach(() => rm(join(folder.path, ".."), { recursive: true }));
  return folder;
}

/** Commits `sql` as the next migration of a folder. @returns its file */
export async function commitTo(folder: string, sql: string): Promise<string> {
  const last = (await readCommitted(folder)).at(-1);
  const number = Number.parseInt(last?.filename ?? "0", 10) + 1;
  const file = join(folder, "committed", `${String(number).padStart(6, "0")}.sql`);
  const body = `${sql.trim()}\n`;
  const head = [`--! Previous: ${last?.hash ?? "-"}`, `--! Hash: ${calculateHash(body, last?.hash ?? null)}`];
  await writeFile(file, `${head.join("\n")}\n\n${body}`);
  return file;
}
