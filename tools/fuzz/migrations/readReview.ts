export interface Review {
  /** The level of its most severe finding. "fails": the SQL does not run on the shadow database. */
  verdict: "safe" | "dangerous" | "refused" | "fails";
  /** What the review says of each refusal; `reason` is empty where it says nothing. */
  refusals: { message: string; reason: string }[];
}

/** Reads what `npm run db:check` has printed. */
export function readReview({ status, output }: { status: number | null; output: string }): Review {
  const found = [...output.matchAll(/^ {2}(refused|dangerous|safe) +(.*)((?:\n {13}.*)*)/gm)];
  const refusals = found
    .filter(([, level]) => level === "refused")
    .map(([, , message = "", details = ""]) => ({ message, reason: /Why: (.+)/.exec(details)?.[1] ?? "" }));
  // 2: a dangerous change, which its author would have to allow.
  if (status === 0 || status === 2) {
    return { verdict: found.some(([, level]) => level === "dangerous") ? "dangerous" : "safe", refusals };
  }
  if (refusals.length > 0) return { verdict: "refused", refusals };
  // A stack trace is no reason.
  const reason = /\n +at .*:\d+/.test(output) ? "" : output.trim();
  return { verdict: "fails", refusals: [{ message: reason || "The review ends with a stack trace.", reason }] };
}
