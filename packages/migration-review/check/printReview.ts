import type { Finding } from "./finding.ts";

const indent = " ".repeat(13);

/** Prints findings for a reader: the most severe first, and each message once with all its locations. */
export function printReview(title: string, findings: Finding[]): string {
  const lines = [`${title}:`];
  if (findings.length === 0) lines.push("  no findings.");
  for (const level of ["refused", "dangerous", "safe"] as const) {
    const byMessage = Map.groupBy(
      findings.filter((finding) => finding.level === level),
      ({ message }) => message,
    );
    for (const [message, same] of byMessage) {
      const { reason, advice } = same[0] as Finding;
      const locations = [...new Set(same.flatMap(({ location }) => location ?? []))];
      lines.push(`  ${level.padEnd(9)}  ${message}`);
      if (locations.length > 0) lines.push(`${indent}Where: ${locations.join(", ")}`);
      if (reason) lines.push(`${indent}Why: ${reason}`);
      if (advice) lines.push(`${indent}Do: ${advice}`);
    }
  }
  return lines.join("\n");
}
