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

/** The name in the smart tag `@formerly`, inside withFormerNames(). */
export function formerName(tags: Record<string, unknown> | undefined): string | undefined {
  return isBefore ? formerlyTag(tags) : undefined;
}

/** The name in the smart tag `@formerly`, written as in SQL. */
export function formerlyTag(tags: Record<string, unknown> | undefined): string | undefined {
  const value = tags?.["formerly"];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^\w+$/.test(value)) {
    throw new Error(`@formerly ${[value].flat().join(", ")}: a thing has one former name, in one word`);
  }
  return value;
}
