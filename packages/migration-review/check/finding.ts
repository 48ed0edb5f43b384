import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** Refused: the change must not be committed as it is. Dangerous: the author has to allow it. Safe: for information. */
export type Severity = "refused" | "dangerous" | "allowed" | "safe";

/** One finding of the review. */
export interface Finding {
  /** The kind of finding: `truncate`, `field-removed`, or a file of migrations/rules. */
  rule: string;
  /** The subject: `Post.subtitle`, `shop.items`, a file. */
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

type Rule = Pick<Finding, "severity" | "reason" | "advice">;

const rules: Record<string, Rule> = parse(readFileSync(new URL("rules.yaml", import.meta.url), "utf8"));

/** Whether rules.yaml has a rule. */
export function isRule(name: string): boolean {
  return name in rules;
}

/** A finding of a rule in rules.yaml, with what that does not know or says otherwise. */
export function findingOf(rule: string, object: string, message: string, more: Partial<Finding> = {}): Finding {
  const known = rules[rule];
  if (!known) throw new Error(`check/rules.yaml has no rule ${rule}.`);
  return {
    rule,
    object,
    ...known,
    message,
    advice: known.advice?.replaceAll("{object}", object).replaceAll("OBJECT", object),
    ...more,
  };
}

/** The name of a finding, which `--allow` takes. It takes its rule or its object alone as well. */
export function nameOf({ rule, object }: Finding): string {
  return `${rule}:${object}`;
}

/** A finding that the author accepts, by name, rule or object. */
export interface Allowance {
  name: string;
  reason: string | undefined;
}

/** Reads `truncate:shop.carts because nobody has one yet`. */
export function readAllowance(text: string): Allowance {
  const [, name = "", reason] = /^(.*?)(?: because (.*))?$/s.exec(text.trim()) ?? [];
  return { name, reason };
}

/** Whether an allowance is about a finding. */
export function accepts({ name }: Allowance, finding: Finding): boolean {
  return [finding.rule, finding.object, nameOf(finding)].includes(name);
}

/** A finding as it is after the allowances. */
export function allow(finding: Finding, allowances: Allowance[]): Finding {
  if (finding.severity === "safe") return finding;
  const { rule, object, message, location } = finding;
  const found = allowances.find((allowance) => accepts(allowance, finding));
  return found ? { rule, object, severity: "allowed", message, location, reason: found.reason } : finding;
}

/** More findings than these are named by their rules. */
const mostNames = 12;

/**
 * The exit status of a review, and its last line.
 *
 * @param isWhole whether the line names each finding, however many there are
 */
export function verdictOf(findings: Finding[], isWhole = false): { status: number; message: string } {
  const namesOf = (severity: Severity) => {
    const found = findings.filter((finding) => finding.severity === severity);
    const names = new Set(found.map(nameOf));
    return [...(names.size > mostNames && !isWhole ? new Set(found.map(({ rule }) => rule)) : names)];
  };
  const [refused, dangerous] = [namesOf("refused"), namesOf("dangerous")];
  if (refused.length > 0) return { status: 1, message: `Refused: ${refused.join(", ")}` };
  if (dangerous.length === 0) return { status: 0, message: "The review passes." };
  const options = dangerous.map((name) => `--allow '${name} because …'`);
  return { status: 1, message: `Dangerous. If you mean it, say why: ${options.join(" ")}` };
}
