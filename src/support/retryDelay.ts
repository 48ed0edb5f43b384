/**
 * How long to wait, in ms, before a connection is tried for the `attempt`-th time: not at all, then ever longer, to a second
 * at most. Of random length, so that the services of a database that comes back do not all knock at once.
 */
export function retryDelay(attempt: number): number {
  if (attempt === 0) return 0;
  return Math.min(1_000, 50 * 2 ** attempt) * (0.5 + Math.random() / 2);
}
