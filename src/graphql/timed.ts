/** Runs `act` and counts its synchronous part: of an operation, that is the planning. */
export function timed<Result>(charge: (busyMs: number) => void, act: () => Result): Result {
  const startedAt = performance.now();
  try {
    return act();
  } finally {
    charge(performance.now() - startedAt);
  }
}
