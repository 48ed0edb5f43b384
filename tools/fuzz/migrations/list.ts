import { readFileSync } from "node:fs";
import type { Review } from "./readReview.ts";

/** A listed migration, with the findings that its review has to have. */
export interface Expected {
  /** A harmless migration has no other findings than these, and none is refused. */
  isHarmless: boolean;
  /** `dangerous exposed:app_public.users.phone`, with a part of the message. */
  findings: { name: string; words: string }[];
}

export interface Listed {
  title: string;
  sql: string;
  expected: Expected;
}

/**
 * Reads the migrations of a file, which empty lines separate. Each begins with its title; a line for each finding follows, with a part
 * of its message in parentheses.
 */
export function readList(kind: "dangerous" | "harmless"): Listed[] {
  const text = readFileSync(new URL(`${kind}.sql`, import.meta.url), "utf8");
  return text.split(/\n{2,}/).map((sql) => {
    const findings = [...sql.matchAll(/^-- ((?:refused|dangerous) .*?) \((.*)\)$/gm)];
    return {
      title: /^-- (.*)/.exec(sql)?.[1] ?? "",
      sql,
      expected: {
        isHarmless: kind === "harmless",
        findings: findings.map(([, name = "", words = ""]) => ({ name, words })),
      },
    };
  });
}

/** The errors in the review of a listed migration: findings that are missing or too many. */
export function compareWithList(
  { verdict, findings, failure }: Review,
  { isHarmless, findings: expected }: Expected,
): string[] {
  if (verdict === "fails") return [`The review fails: ${failure}`];
  const found = findings.map(({ severity, rule, object, message }) => ({
    name: `${severity} ${rule}:${object}`,
    message,
  }));
  const missing = expected.filter(
    ({ name, words }) => !found.some((one) => one.name === name && one.message.includes(words)),
  );
  const further = found.filter(({ name }) => !expected.some((one) => one.name === name));
  return [
    ...missing.map(({ name, words }) => `The review does not say: ${name} (${words})`),
    ...(isHarmless ? further.map(({ name, message }) => `It is harmless, and ${name}: ${message}`) : []),
  ];
}
