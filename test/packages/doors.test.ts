import { join } from "node:path";
import { startDatabase, type TestDatabase } from "@content-service/testing/database.ts";
import { testExample } from "../../tools/packages/support/adopt.ts";
import {
  type Archive,
  type Project,
  packages,
  root,
  run,
  unpackArchives,
} from "../../tools/packages/support/archives.ts";
import { doorsOf, matchReport, publicApiOf } from "../../tools/packages/support/publicApi.ts";

/* The packages as their archives have them. `npm run archives` installs them with npm, and tries much more. */
let project: Project;
let database: TestDatabase;
beforeAll(async () => {
  [project, database] = await Promise.all([unpackArchives(), startDatabase("")]);
});
afterAll(async () => database?.[Symbol.asyncDispose]());

test.each(packages)("%s: its doors load, and export what api.md lists, each with a comment", async (folder) => {
  const archive = project.archives.find((one) => one.folder.endsWith(folder)) as Archive;
  for (const [door, declarations] of await doorsOf(archive)) {
    const name = door === "index" ? archive.name : `${archive.name}/${door}`;
    await run(project.directory, process.execPath, ["--input-type=module", "--eval", `import "${name}";`]);
    const report = await publicApiOf(project, archive, declarations);
    expect(report).not.toMatch(/^\/\/ @public \(undocumented\)$|No @packageDocumentation/m);
    await matchReport(join(root, folder, door === "index" ? "api.md" : `${door}.api.md`), report);
  }
  // API Extractor reads all declarations for each door.
});

describe("examples/adopt", () => {
  testExample(
    () => project,
    () => database,
  );
});
