/** Refused: the change must not be committed as it is. Dangerous: the author decides. Safe: for information. */
export type Severity = "refused" | "dangerous" | "safe";

/** One finding of the review. */
export interface Finding {
  /** What is wrong with it: `truncate`, `field-removed`, or a file of migrations/rules. */
  rule: string;
  /** What it is about: `Post.subtitle`, `app_public.posts`, a file. */
  object: string;
  severity: Severity;
  /** One sentence. */
  message: string;
  /** A file and line. */
  location?: string | undefined;
  reason?: string | undefined;
  /** The next step for the author. */
  advice?: string | undefined;
}

/** The name of a finding, which `--allow` takes. It takes its rule or its object alone as well. */
export function nameOf({ rule, object }: Finding): string {
  return `${rule}:${object}`;
}

/** Lowers a refused finding that `--allow` names to dangerous. */
export function allow(finding: Finding, allowed: string[]): Finding {
  const { rule, object, severity, message, location } = finding;
  const isAllowed = severity === "refused" && [rule, object, nameOf(finding)].some((name) => allowed.includes(name));
  return isAllowed
    ? { rule, object, severity: "dangerous", message, location, reason: "Allowed with --allow." }
    : finding;
}

const indent = " ".repeat(13);

/** Prints findings for a reader: the most severe first, and each message once with all its locations. */
export function printFindings(title: string, findings: Finding[]): string {
  const lines = [`${title}:`];
  if (findings.length === 0) lines.push("  no findings.");
  for (const severity of ["refused", "dangerous", "safe"]) {
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
