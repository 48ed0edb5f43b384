import { join } from "node:path";
import { startDatabase, type TestDatabase } from "@content-service/testing/database.ts";
import type { CompilerState } from "@microsoft/api-extractor";
import { testExample } from "../../tools/packages/support/adopt.ts";
import {
  type Archive,
  type Project,
  packages,
  root,
  run,
  unpackArchives,
} from "../../tools/packages/support/archives.ts";
import { doorsOf, matchReport, publicApiOf, readDeclarations } from "../../tools/packages/support/publicApi.ts";

/* The packages as their archives have them. `npm run archives` installs them with npm, and tries much more. */
let project: Project;
let database: TestDatabase;
let doors: Map<Archive, [name: string, declarations: string][]>;
let read: CompilerState;
beforeAll(async () => {
  [project, database] = await Promise.all([unpackArchives(), startDatabase("")]);
  doors = new Map(await Promise.all(project.archives.map(async (one) => [one, await doorsOf(one)] as const)));
  const files = [...doors.values()].flat().map(([, declarations]) => declarations);
  read = readDeclarations(project, files);
});
afterAll(async () => database?.[Symbol.asyncDispose]());

test.each(packages)("%s: its doors load, and export what api.md lists, each with a comment", async (folder) => {
  const archive = project.archives.find((one) => one.folder.endsWith(folder)) as Archive;
  const names =
    doors.get(archive)?.map(([door]) => (door === "index" ? archive.name : `${archive.name}/${door}`)) ?? [];
  const imports = names.map((name) => `import "${name}";`).join("");
  await run(project.directory, process.execPath, ["--input-type=module", "--eval", imports]);
  for (const [door, declarations] of doors.get(archive) ?? []) {
    const report = await publicApiOf(project, archive, declarations, read);
    expect(report).not.toMatch(/^\/\/ @public \(undocumented\)$|No @packageDocumentation/m);
    await matchReport(join(root, folder, door === "index" ? "api.md" : `${door}.api.md`), report);
  }
});

describe("examples/adopt", () => {
  testExample(
    () => project,
    () => database,
  );
});
