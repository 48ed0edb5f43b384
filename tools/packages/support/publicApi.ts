import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { CompilerState, Extractor, ExtractorConfig } from "@microsoft/api-extractor";
import type { Archive, Project } from "./archives.ts";

/** The doors of an archive by name: `index` for the package itself. */
export async function doorsOf({ built }: Archive): Promise<[name: string, declarations: string][]> {
  const { exports } = JSON.parse(await readFile(join(built, "package.json"), "utf8"));
  return Object.entries<{ types?: string }>(exports)
    .filter(([, { types }]) => types !== undefined)
    .map(([door, { types }]) => [door === "." ? "index" : basename(door), join(built, types as string)]);
}

/** Reads declarations for publicApiOf(), those of all doors at once: they share most of what they import. */
export function readDeclarations(project: Project, files: string[]): CompilerState {
  const config = configOf(project, project.archives[0] as Archive, files[0] as string);
  return CompilerState.create(config, { additionalEntryPoints: files });
}

/** The exports of a door, with their types, in the format of API Extractor: each change of it shows in a review. */
export async function publicApiOf(
  project: Project,
  archive: Archive,
  declarations: string,
  compilerState: CompilerState,
): Promise<string> {
  const config = configOf(project, archive, declarations);
  Extractor.invoke(config, {
    compilerState,
    localBuild: true,
    messageCallback: (message) => Object.assign(message, { handled: true }),
  });
  return (await readFile(config.reportFilePath, "utf8")).replaceAll("\r\n", "\n");
}

function configOf({ directory }: Project, archive: Archive, declarations: string): ExtractorConfig {
  const reportFolder = join(directory, "reports");
  const quiet = { logLevel: "none", addToApiReportFile: false } as never;
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: archive.built,
      mainEntryPointFilePath: declarations,
      compiler: {
        overrideTsconfig: {
          compilerOptions: { module: "nodenext", target: "es2024", types: ["node"], strict: true, skipLibCheck: true },
          files: [declarations],
        },
      },
      apiReport: {
        enabled: true,
        reportFolder,
        reportTempFolder: reportFolder,
        reportFileName: `${basename(archive.built)}.api.md`,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: quiet },
        extractorMessageReporting: { default: quiet },
        tsdocMessageReporting: { default: quiet },
      },
    },
    configObjectFullPath: join(archive.built, "api-extractor.json"),
    packageJsonFullPath: join(archive.built, "package.json"),
  });
}

/** Compares a report with the one in the repository, or writes that one: `npm run snapshots`. */
export async function matchReport(file: string, report: string): Promise<void> {
  if (process.env["WRITE_SNAPSHOTS"]) return writeFile(file, report);
  expect(report).toBe(await readFile(file, "utf8").catch(() => `no ${file}: run npm run snapshots`));
}
