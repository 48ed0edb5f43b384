import type { Finding } from "./finding.ts";

/** A review as a person reads it: what stops it first, and each thing once. */
export function printReview(title: string, findings: Finding[]): string {
  const lines = [`${title}:`];
  if (findings.length === 0) lines.push("  nothing to say.");
  for (const level of ["refused", "dangerous", "safe"] as const) {
    const byWords = Map.groupBy(
      findings.filter((finding) => finding.level === level),
      ({ what }) => what,
    );
    for (const [what, same] of byWords) {
      const { why, todo } = same[0] as Finding;
      const places = [...new Set(same.flatMap(({ where }) => where ?? []))];
      lines.push(`  ${level.padEnd(9)}  ${what}`);
      if (places.length > 0) lines.push(`${margin}Where: ${places.join(", ")}`);
      if (why) lines.push(`${margin}Why: ${why}`);
      if (todo) lines.push(`${margin}Do: ${todo}`);
    }
  }
  return lines.join("\n");
}

const margin = " ".repeat(13);
