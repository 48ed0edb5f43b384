import { randomUUID } from "node:crypto";
import { copyProject, type Project } from "../../tools/support/copyProject.ts";
import { createCommitted, databaseUrl, onServer } from "./template.ts";

export type { Project };

interface Options {
  /** The login that owns the databases, if it is not the server's superuser. It is read before the first test. */
  login?: () => string;
  /** Whether the database has run the committed migrations. */
  isMigrated?: boolean;
}

/**
 * A copy of the project, with an empty database and a shadow database that does not exist yet. Usable from the first test on.
 */
export function useProject({ login, isMigrated = false }: Options = {}): Project {
  const project = {} as Project;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const shadow = `${name}_shadow`;
  const serverUrl = login ?? (() => process.env.TEST_SERVER_URL as string);

  beforeAll(async () => {
    const url = serverUrl();
    const databases = { DATABASE_URL: databaseUrl(url, name), SHADOW_DATABASE_URL: databaseUrl(url, shadow) };
    Object.assign(project, await copyProject(databases));
    if (isMigrated) await createCommitted(url, name, false);
    else await onServer(url, `create database ${name}`);
    if (!login) await createCommitted(url, `${shadow}_template`, true);
  });
  afterAll(async () => {
    await project.remove();
    for (const database of [name, shadow, `${shadow}_template`]) {
      await onServer(serverUrl(), `drop database if exists ${database}`);
    }
  });
  return project;
}
