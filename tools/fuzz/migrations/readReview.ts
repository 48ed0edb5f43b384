/** A finding, as `npm run db:check -- --json` prints it. */
interface Finding {
  rule: string;
  object: string;
  severity: string;
  message: string;
  reason?: string;
}

export interface Review {
  /** The level of its most severe finding. "fails": the SQL does not run on the shadow database. */
  verdict: "safe" | "dangerous" | "refused" | "fails";
  /** The refused and dangerous findings. */
  findings: Finding[];
  /** Why it fails; empty where the review does not say. */
  failure: string;
}

/** Reads what `npm run db:check -- --json` has printed. */
export function readReview({ stdout, stderr }: { stdout: string; stderr: string }): Review {
  if (!stdout.startsWith("[")) {
    // A stack trace is no reason.
    return { verdict: "fails", findings: [], failure: /\n +at .*:\d+/.test(stderr) ? "" : stderr.trim() };
  }
  const printed: Finding[] = JSON.parse(stdout);
  const findings = printed.filter(({ severity }) => severity === "refused" || severity === "dangerous");
  const has = (level: string) => findings.some(({ severity }) => severity === level);
  return { verdict: has("refused") ? "refused" : has("dangerous") ? "dangerous" : "safe", findings, failure: "" };
}
