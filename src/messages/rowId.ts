const largest = 2n ** 63n - 1n;

/** No row has this id: identity columns begin at 1. */
const nobody = "0";

/** An id as PostgreSQL can take it. One that cannot be an id ("abc", NUL, 10^30) becomes one that finds nothing. */
export function rowId(given: string): string {
  return /^[1-9]\d{0,18}$/.test(given) && BigInt(given) <= largest ? given : nobody;
}
