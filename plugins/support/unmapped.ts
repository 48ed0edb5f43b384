/** Something in the database that GraphQL has no place for, or only under another name. */
export interface UnmappedObject {
  /** In SQL, such as `shop.touch`. */
  name: string;
  /** One sentence each. */
  message: string;
  reason: string;
  advice: string;
}

/** A name in SQL, quoted where it must be: `shop."Big things"`. */
export function sqlName(...parts: string[]): string {
  return parts.map((part) => (isPlain(part) ? part : `"${part.replaceAll('"', '""')}"`)).join(".");
}

/** Whether SQL needs no quotes for a name. */
export function isPlain(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name);
}

/** Whether GraphQL can have a name. */
export function isGraphQLName(name: string): boolean {
  return /^(?!__)[_a-zA-Z]\w*$/.test(name);
}

/** Compares two lists of numbers and texts, by code points: the order is the same in each locale. */
export function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const place = a.findIndex((each, index) => each !== b[index]);
  if (place < 0) return 0;
  return (a[place] as string) < (b[place] as string) ? -1 : 1;
}
