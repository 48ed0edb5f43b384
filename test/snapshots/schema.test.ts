import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { printApi } from "@content-service/support/printApi.ts";
import { isEnumType } from "graphql";
import pg from "pg";
import { servedNamesOf } from "postgraphile-compiled-preset";
import { readTables } from "../../packages/migration-review/snapshots/tables.ts";
import { erDiagram } from "../../src/commands/snapshots/erDiagram.ts";
import { printNames, servedNamesFile } from "../../src/graphql/schema/servedNames.ts";
import { undescribed, unordered } from "../support/descriptions.ts";
import { useService } from "../support/service.ts";

const file = new URL("../../schema.graphql", import.meta.url);
const diagram = new URL("../../docs/er.md", import.meta.url);
const service = useService();

/** The content of the file. `npm run snapshots` writes it first. */
function snapshotIn(snapshot: URL, text: string): string {
  if (process.env.WRITE_SNAPSHOTS === "1") writeFileSync(snapshot, text);
  return readFileSync(snapshot, "utf8");
}

test("the served schema is the one in schema.graphql (npm run snapshots writes it)", () => {
  const served = printApi(service.app.schema);
  expect(served).toBe(snapshotIn(file, served));
});

test("the names are those in servedNames.json (npm run snapshots writes it)", () => {
  const names = printNames(servedNamesOf(service.app.schema));
  expect(names).toBe(snapshotIn(new URL(`../../${servedNamesFile}`, import.meta.url), names));
});

test("the tables are those in docs/er.md (npm run snapshots writes it)", async () => {
  const owner = new pg.Client({ connectionString: service.database.ownerUrl });
  await owner.connect();
  const text = erDiagram(await readTables(owner, ["app_public"]).finally(() => owner.end()));
  expect(text).toBe(snapshotIn(diagram, text));
  const diagrams = [...text.matchAll(/```mermaid\nerDiagram\n {2}direction LR\n(.*?)\n```/gs)];
  expect(diagrams.length).toBeGreaterThan(5);
  for (const line of diagrams.flatMap(([, lines = ""]) => lines.split("\n"))) expect(line).toMatch(mermaidLine);
});

test("it holds the whole of the specification's contract", () => {
  const check = fileURLToPath(new URL("../contract/check-contract.mjs", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [check, fileURLToPath(file)], { encoding: "utf8" });
  expect(stdout).toBe("The served schema holds the whole contract.\n");
  expect(status).toBe(0);
});

test("a reader finds every type and field described", () => {
  expect(undescribed(service.app.schema)).toEqual([]);
});

test("the description of each list says its order", () => {
  expect(unordered(service.app.schema)).toEqual([]);
});

test.each([
  ["ErrorCode", "## Errors"],
  ["ErrorReason", "### Reasons"],
  ["ValidationErrorCode", "### Codes of validation errors"],
])("%s has the values that docs/errors.md explains", (name, heading) => {
  const type = service.app.schema.getType(name);
  const [, section = ""] = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8").split(`\n${heading}`);
  const rows = section.split(/\n##/)[0]?.match(/^\| `.*?(?= \|)/gm) ?? [];
  const explained = rows.flatMap((row) => [...row.matchAll(/`([A-Z_]+)`/g)].map(([, value]) => value));
  expect(
    isEnumType(type) &&
      type
        .getValues()
        .map((value) => value.name)
        .sort(),
  ).toEqual(explained.sort());
});

test("ValidationErrorCode has each code that SQL gives", () => {
  const type = service.app.schema.getType("ValidationErrorCode");
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  const folder = new URL("../../migrations/fixtures/functions/", import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".sql"));
  const text = files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("");
  const given = [...text.matchAll(/['"]code['"][:,] ['"]([A-Z_]+)/g)].map(([, code]) => code);
  expect(given.length).toBeGreaterThan(10);
  expect(given.filter((code) => !values.includes(code ?? ""))).toEqual([]);
});

test("nothing of the raw reflection shows", () => {
  const text = readFileSync(file, "utf8");
  expect(text.match(/affecting|InputRecord|at the end of the edge|you could get from/g)).toBeNull();
  expect(text.match(/rowId|clientMutationId|all[A-Z]\w*List|By[A-Z]\w*Id\b|\w+Payload|query: Query/g)).toBeNull();
  expect(
    text.match(/PostTag|Follow\b|Account|passwordHash|bannedAt|createdBy|issuedTo|listedAt|firstPublished|lastNumber/g),
  ).toBeNull();
});

/** Mermaid's grammar of entity-relationship diagrams, as far as docs/er.md uses it. */
const mermaidLine = /^ {2}\w+ (\|\||\|o)--(o\{|o\|) \w+ : "\w+(,<br>\w+)*"$/;
