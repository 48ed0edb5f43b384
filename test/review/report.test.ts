import { type Finding, verdictOf } from "../../packages/migration-review/check/finding.ts";
import { printReport } from "../../packages/migration-review/check/report.ts";

const finding = (rule: string, severity: Finding["severity"], place: number, more: Partial<Finding> = {}): Finding => ({
  rule,
  severity,
  object: `app.t${place}`,
  message: `app.t${place} breaks ${rule}.`,
  location: `part.sql:${place}`,
  reason: `The reason of ${rule}.`,
  ...more,
});
const many = (count: number, rule: string, severity: Finding["severity"], more?: Partial<Finding>) =>
  Array.from({ length: count }, (_, place) => finding(rule, severity, place + 1, more));

const sections = [
  { section: "The API", findings: many(300, "field-added", "safe") },
  { section: "Behaviour", findings: many(20, "exposed", "dangerous", { advice: "Look at it." }) },
  {
    section: "Rules",
    findings: [
      ...many(75, "commented", "refused", { advice: "Write a comment." }),
      ...[1, 2].map((place) => finding("indexed", "refused", place, { advice: `Create the index ${place}.` })),
    ],
  },
];

test("a long review has each rule once, with its places, the dangerous first", () => {
  expect(printReport(sections, "main", false)).toBe(`Since main, by rule. All findings: --all; as JSON: --json.
  refused    commented: app.t1 breaks commented. And 74 more.
             Where: part.sql:1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12; 63 more
             Why: The reason of commented.
             Do: Write a comment.
  refused    indexed: app.t1 breaks indexed. And 1 more.
             Where: part.sql:1, 2
             Why: The reason of indexed.
             Do, for the first: Create the index 1.
  dangerous  exposed: app.t1 breaks exposed. And 19 more.
             Where: part.sql:1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12; 8 more
             Why: The reason of exposed.
             Do: Look at it.
  safe       300 field-added`);
});

test("--all prints each finding, and so does a short report", () => {
  const all = printReport(sections, "main", true);
  for (const { findings } of sections) for (const { message } of findings) expect(all).toContain(message);
  const short = [{ section: "Rules", findings: many(3, "commented", "refused") }];
  expect(printReport(short, "main", false)).toBe(printReport(short, "main", true));
});

test("the last line names a few findings each, and many by their rules", () => {
  const findings = sections.flatMap((section) => section.findings);
  expect(verdictOf(findings)).toEqual({ status: 1, message: "Refused: commented, indexed" });
  expect(verdictOf(many(20, "exposed", "dangerous")).message).toMatch(/ --allow 'exposed because …'$/);
  expect(verdictOf(many(2, "exposed", "dangerous")).message).toMatch(/ --allow 'exposed:app.t1 because …' --allow/);
});
