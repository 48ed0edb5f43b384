const largest = 2n ** 63n - 1n;

/** No row has this id: identity columns begin at 1. */
const nobody = "0";

/** Whether a text is an id as rows have them: a decimal number from 1, as PostgreSQL's bigint can hold it. */
export function isRowId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= largest;
}

/** An id as PostgreSQL can take it. One that cannot be an id ("abc", "007", NUL, 10^30) becomes one that finds nothing. */
export function rowId(given: string): string {
  return isRowId(given) ? given : nobody;
}
