/** Items that a list can have at most, unless its table says otherwise (`@pageSize`). */
export const standardMaxListSize = 100;

/** Rows that a list can skip at most. */
export const maxOffset = 10_000;
