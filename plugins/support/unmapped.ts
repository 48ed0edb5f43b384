/** Something in the database that GraphQL has no place for, or only under another name. */
export interface UnmappedObject {
  /** In SQL, such as `shop.touch`. */
  name: string;
  /** One sentence each. */
  message: string;
  reason: string;
  advice: string;
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
