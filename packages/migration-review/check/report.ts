import type { Finding } from "./finding.ts";

/** The findings of a part of the review. */
export interface Section {
  section: string;
  findings: Finding[];
}

/** A report with more lines is shortened. */
const mostLines = 60;

/** Of the places of one rule, for a line. */
const mostPlaces = 12;

const severities = ["refused", "dangerous", "allowed", "safe"] as const;
const indent = " ".repeat(13);

/**
 * Prints a review for a reader: by sections, or if that is long, each rule once with its places, the dangerous first.
 *
 * @param base what the change is compared with
 * @param isWhole whether a long report is printed in full
 */
export function printReport(sections: readonly Section[], base: string, isWhole: boolean): string {
  const whole = sections
    .map(({ section, findings }) => printFindings(`${section}, since ${base}`, findings))
    .join("\n");
  return isWhole || whole.split("\n").length <= mostLines ? whole : printRules(sections, base);
}

/** Prints findings: the most severe first, and each message once with all its locations. */
export function printFindings(title: string, findings: Finding[]): string {
  const lines = [`${title}:`];
  if (findings.length === 0) lines.push("  no findings.");
  for (const severity of severities) {
    const found = findings.filter((finding) => finding.severity === severity);
    for (const [message, same] of Map.groupBy(found, (finding) => finding.message)) {
      const { reason, advice } = same[0] as Finding;
      const locations = [...new Set(same.flatMap(({ location }) => location ?? []))];
      lines.push(`  ${severity.padEnd(9)}  ${message}`);
      if (locations.length > 0) lines.push(`${indent}Where: ${locations.join(", ")}`);
      if (reason) lines.push(`${indent}Why: ${reason}`);
      if (advice) lines.push(`${indent}Do: ${advice}`);
    }
  }
  return lines.join("\n");
}

/** One line of each rule's first finding, its places, and what to do. The safe ones are counted. */
function printRules(sections: readonly Section[], base: string): string {
  const findings = sections.flatMap((each) => each.findings);
  const lines = [`Since ${base}, by rule. All findings: --all; as JSON: --json.`];
  for (const severity of ["refused", "dangerous", "allowed"] as const) {
    const found = findings.filter((finding) => finding.severity === severity);
    for (const [rule, same] of Map.groupBy(found, (finding) => finding.rule)) {
      const [{ message, reason, advice }] = same as [Finding];
      const messages = new Set(same.map((finding) => finding.message));
      const more = messages.size > 1 ? ` And ${messages.size - 1} more.` : "";
      lines.push(`  ${severity.padEnd(9)}  ${rule}: ${message}${more}`);
      const places = placesOf(same);
      if (places) lines.push(`${indent}Where: ${places}`);
      const isOne = (text: "reason" | "advice") => new Set(same.map((finding) => finding[text])).size === 1;
      if (reason && severity !== "allowed" && isOne("reason")) lines.push(`${indent}Why: ${reason}`);
      if (advice) lines.push(`${indent}Do${isOne("advice") ? "" : ", for the first"}: ${advice}`);
    }
  }
  const safe = Map.groupBy(
    findings.filter(({ severity }) => severity === "safe"),
    ({ rule }) => rule,
  );
  const counts = [...safe].map(([rule, same]) => `${same.length} ${rule}`);
  if (counts.length > 0) lines.push(`  safe       ${counts.join(", ")}`);
  return lines.join("\n");
}

/** `migrations/current/200-shop.sql:3, 9, 17; 4 more`. */
function placesOf(findings: readonly Finding[]): string {
  const places = [...new Set(findings.flatMap(({ location }) => location ?? []))];
  const byFile = Map.groupBy(places.slice(0, mostPlaces), (place) => /^(.*?):\d+$/.exec(place)?.[1] ?? place);
  const listed = [...byFile].map(([file, same]) => {
    const lines = same.map((place) => place.slice(file.length + 1)).filter(Boolean);
    return lines.length > 0 ? `${file}:${lines.join(", ")}` : file;
  });
  const more = places.length > mostPlaces ? [`${places.length - mostPlaces} more`] : [];
  return [...listed, ...more].join("; ");
}
