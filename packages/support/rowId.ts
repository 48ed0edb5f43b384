const largest = 2n ** 63n - 1n;

/** No row has this id: identity columns start at 1. */
const noRow = "0";

/** Whether a text can be the id of a row: a decimal number from 1 to the largest bigint. */
export function isRowId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= largest;
}

/** A valid id stays as it is. Any other text ("abc", "007", NUL, 10^30) becomes an id that finds nothing. */
export function rowId(given: string): string {
  return isRowId(given) ? given : noRow;
}

/** A UUID as PostgreSQL writes it. Any other text becomes a UUID that finds nothing. */
export function rowUuid(given: string): string {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(given)
    ? given.toLowerCase()
    : "00000000-0000-0000-0000-000000000000";
}
