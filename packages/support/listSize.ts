/** Items that a list can have at most. */
export const maxListSize = 100;

/** Rows that a list can skip at most. */
export const maxOffset = 10_000;
