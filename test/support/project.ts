import { randomUUID } from "node:crypto";
import { copyProject, type Project } from "../../tools/support/copyProject.ts";
import { databaseUrl, onServer } from "./template.ts";

export type { Project };

/**
 * A copy of the project, with an empty database and a shadow database that does not exist yet. Usable from the first test on.
 *
 * @param loginUrl the login that owns the databases. It is read before the first test; the default is the server's superuser
 */
export function useProject(loginUrl = () => process.env.TEST_SERVER_URL as string): Project {
  const project = {} as Project;
  const name = `test_${randomUUID().replaceAll("-", "")}`;

  beforeAll(async () => {
    const serverUrl = loginUrl();
    const databases = {
      DATABASE_URL: databaseUrl(serverUrl, name),
      SHADOW_DATABASE_URL: databaseUrl(serverUrl, `${name}_shadow`),
    };
    Object.assign(project, await copyProject(databases));
    await onServer(serverUrl, `create database ${name}`);
  });
  afterAll(async () => {
    await project.remove();
    for (const database of [name, `${name}_shadow`]) {
      await onServer(loginUrl(), `drop database if exists ${database} with (force)`);
    }
  });
  return project;
}
