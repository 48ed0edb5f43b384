import { randomUUID } from "node:crypto";
import { fuzzMigrations, type Migration } from "../../tools/fuzz/fuzzMigrations.ts";
import { createTemplate } from "../../tools/fuzz/migrations/createTemplate.ts";
import { type Listed, readList } from "../../tools/fuzz/migrations/list.ts";
import { createCommitted, onServer } from "../support/template.ts";

/* A short `npm run fuzz -- migrations`: the listed migrations that are safe as one, and all others as another one. */
const serverUrl = process.env.TEST_SERVER_URL as string;
const template = `test_${randomUUID().replaceAll("-", "")}`;

beforeAll(async () => {
  await createTemplate(serverUrl, template);
  await createCommitted(serverUrl, `${template}_shadow_template`, true);
});
afterAll(() => onServer(serverUrl, `drop database ${template}`));

function together(title: string, isHarmless: boolean, listed: Listed[]): Migration {
  const findings = listed.flatMap(({ expected }) => expected.findings);
  return { title, sql: listed.map(({ sql }) => sql).join("\n\n"), expected: { isHarmless, findings } };
}

test("harmless migrations have no finding, and change no answer; of the others, the review says what its author has to know", async () => {
  const [dangerous, harmless] = [readList("dangerous"), readList("harmless")];
  expect([dangerous.length, harmless.length]).toEqual([33, 40]);
  expect(dangerous.filter(({ expected }) => expected.findings.length === 0)).toEqual([]);
  const isSafe = ({ expected }: Listed) => expected.findings.length === 0;
  const migrations = [
    together("safe", true, harmless.filter(isSafe)),
    together("named", false, [...dangerous, ...harmless.filter((listed) => !isSafe(listed))]),
  ];
  const trials = await fuzzMigrations({ serverUrl, template, write: () => migrations, requestsAround: 5 });
  expect(trials).toMatchObject([
    { verdict: "safe", outcome: "applied", problems: [] },
    { verdict: "refused", problems: [] },
  ]);
});
