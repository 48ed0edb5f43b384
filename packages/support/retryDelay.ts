/**
 * The delay, in ms, before the `attempt`-th connection attempt: none for the first, then exponential backoff up to one
 * second, with jitter, so that all services do not reconnect to a restarted database at the same time.
 */
export function retryDelay(attempt: number): number {
  if (attempt === 0) return 0;
  return Math.min(1_000, 50 * 2 ** attempt) * (0.5 + Math.random() / 2);
}
