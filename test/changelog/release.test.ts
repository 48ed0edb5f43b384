import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { releaseSection } from "../../tools/release/releaseSection.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the section of a version", () => {
  const line = "- A change.\n";
  const earlier = "## 0.1.0 - 2026-01-01\n\n- The first.\n";

  test.each([
    ["below others", `# Changes\n\n## Unreleased\n\n${line}\n${earlier}`, `${line}\n${earlier}`],
    ["as the first", `# Changes\n\n## Unreleased\n\n${line}`, line],
    [
      "with subsections",
      `# Changes\n\n## Unreleased\n\n### For DBAs\n\n${line}\n${earlier}`,
      `### For DBAs\n\n${line}\n${earlier}`,
    ],
  ])("has what was written, %s", (_where, changelog, below) => {
    expect(releaseSection(changelog, "1.0.0", "2026-11-26")).toBe(
      `# Changes\n\n## Unreleased\n\n## 1.0.0 - 2026-11-26\n\n${below}`,
    );
  });

  test("says so where nothing was written, or is refused", () => {
    const changelog = `# Changes\n\n## Unreleased\n\n${earlier}`;
    expect(releaseSection(changelog, "1.0.0", "2026-11-26", "Nothing.")).toContain(
      "## 1.0.0 - 2026-11-26\n\nNothing.\n\n## 0.1.0",
    );
    expect(() => releaseSection(changelog, "1.0.0", "2026-11-26")).toThrow("Nothing stands below “Unreleased”");
    expect(() => releaseSection(earlier, "1.0.0", "2026-11-26")).toThrow("is not “Unreleased”");
  });
});

describe("npm version", () => {
  const directory = temporaryDirectory("release");
  // Neither the settings of the npm that runs the tests nor those of the developer's git.
  const person = { NAME: "Ada", EMAIL: "ada@example.com" };
  const identity = ["AUTHOR", "COMMITTER"].flatMap((role) =>
    Object.entries(person).map(([name, value]) => [`GIT_${role}_${name}`, value]),
  );
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
    ...Object.fromEntries(identity),
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: directory, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const read = (path: string) => readFileSync(join(directory, path), "utf8");
  const versionOf = (path: string) => JSON.parse(read(path)).version;
  const former = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version;

  beforeAll(() => {
    const parts = ["package.json", "package-lock.json", "CHANGELOG.md", "schema.graphql", "packages", "plugins"];
    const isCopied = (path: string) => !/(^|\/)(node_modules|dist|test)$/.test(path);
    for (const part of [...parts, "tools/release", "tools/changelog", "examples/adopt/package.json"])
      cpSync(join(root, part), join(directory, part), { recursive: true, filter: isCopied });
    // After a release, nothing stands there.
    writeFileSync(
      join(directory, "CHANGELOG.md"),
      read("CHANGELOG.md").replace("## Unreleased\n", "## Unreleased\n\n- A change.\n"),
    );
    run("git", "init", "--quiet");
    run("git", "add", "--all");
    run("git", "commit", "--quiet", "--message", "Before");
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test("gives one version to all that has one, and commits and tags it", () => {
    run("npm", "version", "1.2.3-test", "--message", "Release %s");
    expect(run("git", "status", "--porcelain")).toBe("");
    expect(run("git", "log", "--format=%s %D", "--max-count=1")).toMatch(/^Release 1\.2\.3-test .*tag: v1\.2\.3-test/);
    const lock = JSON.parse(read("package-lock.json"));
    const workspaces = Object.keys(lock.packages).filter((path) => /^(packages\/[^/]+|plugins)$/.test(path));
    const versions = [lock.version, ...["", ...workspaces].map((path) => lock.packages[path].version)];
    versions.push(...["package.json", ...workspaces.map((path) => `${path}/package.json`)].map(versionOf));
    expect(new Set(versions)).toEqual(new Set(["1.2.3-test"]));
    // A text repeats the version as a string, or in the name of an archive.
    const patterns = [`"${former}"`, `-${former}.tgz`];
    const files = run("git", "ls-files", ":!package-lock.json", ":!*.md").trim().split("\n");
    expect(files.filter((path) => patterns.some((pattern) => read(path).includes(pattern)))).toEqual([]);
  });

  test("moves each changelog's lines, and keeps the schema that was released", () => {
    for (const path of ["CHANGELOG.md", ...run("git", "ls-files", "*/CHANGELOG.md").trim().split("\n")])
      expect(read(path)).toMatch(/^## Unreleased\n\n## 1\.2\.3-test - \d{4}-\d\d-\d\d\n\n\S/m);
    expect(read("tools/changelog/released.graphql")).toBe(read("schema.graphql"));
  });
});
