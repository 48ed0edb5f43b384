import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tableRows } from "@content-service/support/markdownTable.ts";
import { migrateCurrent, projectMigrations } from "../../src/database/migrations.ts";
import { grantedLines } from "../permissions/grantedLines.ts";
import { resetContent } from "../permissions/outcome.ts";
import { toAct, ways } from "../permissions/ways.ts";
import { useAnalyst } from "../support/analyst.ts";
import { brokenRules } from "../support/brokenRules.ts";
import { undescribed, unordered } from "../support/descriptions.ts";
import { psqlTable } from "../support/psqlTable.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { type Person, untilListening, useService } from "../support/service.ts";

/* docs/feature.md and the walk of migrations/README.md, run as they stand on a service that is never restarted. */
const feature = readFileSync(new URL("../../docs/feature.md", import.meta.url), "utf8");
const column = readFileSync(new URL("../../migrations/README.md", import.meta.url), "utf8");
const service = useService();
const jane = useAnalyst(service.database);
let root: string;

/** A block of code and the answer in the next block, in the order of the page. */
const steps = [...feature.matchAll(/```(?:graphql\n# as (\w+)|sql)\n([^`]+)```\n\n```(?:json|text)\n([^`]+)```/g)].map(
  ([, person = "an analyst", code = "", answer = ""]) => ({ person, code, answer }),
);
const rows = /`migrations\/permissions\.sql`:\n\n```sql\n([^`]+)```/.exec(feature)?.[1] ?? "";
const [grants = [], acts = []] = rowsToAdd(feature);
/** The bodies of the requests with curl, and what their answers contain. */
const calls = [...column.matchAll(/^( *-H "Authorization.*\n)? +-d '(.+)'\n```[^`]+`(.+)`/gm)].map(
  ([, token, body = "", part = ""]) => ({ as: token ? "ada" : "nobody", body, part }) as const,
);

function rowsToAdd(page: string): string[][][] {
  return [...page.matchAll(/```md\n([\s\S]+?)```\n/g)].map(([, lines = ""]) => tableRows(lines));
}

/** The files that a page has the reader write. A second block with the same name is appended. */
function filesOf(page: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const [, name = "", text = ""] of page.matchAll(
    /`(migrations\/(?:current|fixtures)\/\S+\.sql)`[^`]*:\n\n```sql\n([\s\S]+?)```/g,
  )) {
    files.set(name, (files.get(name) ?? "") + text);
  }
  return files;
}

/** Saves the files, as `npm run db:watch` sees it. */
async function save(files: Map<string, string>): Promise<void> {
  for (const [name, text] of files) {
    await mkdir(join(root, name, ".."), { recursive: true });
    await writeFile(join(root, name), text);
  }
  await migrateCurrent(service.database.ownerUrl, join(root, "migrations"));
}

async function resetRows(): Promise<void> {
  await resetContent(service);
  await service.database.query(rows);
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "content-service-feature-"));
  await cp(projectMigrations, join(root, "migrations"), { recursive: true });
  // The database has run it, and its numbers may be those of the page.
  await rm(join(root, "migrations/current"), { recursive: true });
  await mkdir(join(root, "migrations/current"));
  await resetContent(service);
  await save(filesOf(feature));
  // Every save runs it again.
  await save(filesOf(feature));
  await service.app.rebuild();
});
afterAll(() => rm(root, { recursive: true }));

test("the feature has at most 60 lines", () => {
  const [migration, functions] = [...filesOf(feature).values()];
  expect(`${migration}${functions}`.split("\n").filter((line) => line.trim()).length).toBeLessThanOrEqual(60);
});

test("the page has its files, requests and permissions", () => {
  expect([...filesOf(feature).keys()]).toHaveLength(6);
  expect(steps).toHaveLength(6);
  expect([grants.length, acts.length]).toEqual([4, 4]);
});

describe("a step of the page", () => {
  test.each(steps)("as $person: $code", async ({ person, code, answer }) => {
    if (person === "an analyst") expect(`${psqlTable(await jane.ask(code))}\n`).toBe(answer);
    else {
      expect(await service.ask(code, { as: person.toLowerCase() as Person })).toMatchObject(JSON.parse(answer));
    }
  });
});

test("the subscription of the page sends a new reaction", async () => {
  const [, query = ""] = /```graphql\n(subscription [^`]+)```/.exec(feature) ?? [];
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init" });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload: { query } });
  await untilListening(1, service.app);
  await service.database.query("insert into app_public.reactions (post_id, author_id, kind) values (1, 3, 'SAD')");
  // Reactions that the service had not heard of when the subscription began may come first.
  const reactions: unknown[] = [];
  while (reactions.length === 0 || !JSON.stringify(reactions.at(-1)).includes("SAD")) {
    reactions.push((await socket.messages.next()).payload);
  }
  expect(reactions.at(-1)).toMatchObject({ data: { reactionAdded: { kind: "SAD", author: { name: "Admin" } } } });
  socket.destroy();
  await untilListening(0, service.app);
});

test("no rule of db:check is broken", async () => {
  expect(await brokenRules(service.database, root)).toEqual([]);
});

test("a reader of the schema finds each type and field described", () => {
  expect([...undescribed(service.app.schema), ...unordered(service.app.schema)]).toEqual([]);
});

test("the counts are right", async () => {
  expect(await service.database.query("select from conventions.check_counters()")).toEqual([]);
});

test("the grants are those of the page", async () => {
  const added = (await grantedLines(service.database)).filter((line) => line.includes("reaction"));
  expect(added.sort()).toEqual(grants.map((cells) => `| ${cells.join(" | ")} |`).sort());
});

describe.each(acts.map(toAct))("$act", (act) => {
  beforeAll(resetRows);
  test.each(ways(service, act))("%s, as %s", async (way, person, see) => {
    const seen = await see();
    if (seen === "done" && way === "through the API") await resetRows();
    expect(seen).toBe(act.outcomes[person]);
  });
});

describe("a column, as in migrations/README.md", () => {
  test("takes three statements and one line of permissions, and its requests have their answers", async () => {
    const files = filesOf(column);
    await save(files);
    await service.app.rebuild();
    expect(calls).toHaveLength(2);
    for (const { as, body, part } of calls) {
      expect(JSON.stringify(await service.ask(JSON.parse(body).query, { as }))).toContain(part);
    }
    const lines = rowsToAdd(column).flat();
    const grants = await grantedLines(service.database);
    for (const cells of lines) expect(grants).toContain(`| ${cells.join(" | ")} |`);
    expect([[...files.values()].join("").match(/;\n/g)?.length, lines.length]).toEqual([3, 1]);
  });
});
