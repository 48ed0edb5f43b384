import "postgraphile";

/** Whether the inflectors give the names of before a rename. */
let isBefore = false;

/** Runs inflectors as if each thing with the smart tag `@formerly` still had its former name. */
export function withFormerNames<Names>(inflect: () => Names): Names {
  const wasBefore = isBefore;
  isBefore = true;
  try {
    return inflect();
  } finally {
    isBefore = wasBefore;
  }
}

/** The former name in a smart tag, inside withFormerNames(). */
export function formerName(tags: Record<string, unknown> | undefined, tag: FormerTag = "formerly"): string | undefined {
  return isBefore ? formerlyTag(tags, tag) : undefined;
}

/** A constraint has the former names of two fields, forward and backward. */
type FormerTag = "formerly" | "formerFieldName" | "formerForeignFieldName";

/** The former name in a smart tag, written as in SQL. */
export function formerlyTag(
  tags: Record<string, unknown> | undefined,
  tag: FormerTag = "formerly",
): string | undefined {
  const value = tags?.[tag];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^\w+$/.test(value)) {
    throw new Error(`@${tag} ${[value].flat().join(", ")}: a thing has one former name, in one word`);
  }
  return value;
}
