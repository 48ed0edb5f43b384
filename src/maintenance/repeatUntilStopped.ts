import { setTimeout as delay } from "node:timers/promises";

/** Never aborted: for work that is done once. */
export const unstopped = new AbortController().signal;

/**
 * Acts now, and again after each pause. The pause begins when the last act is over, so that two never overlap.
 *
 * @param act returns the pause in milliseconds, and never rejects. Its signal is aborted at the end
 */
export function repeatUntilStopped(act: (signal: AbortSignal) => Promise<number>): Disposable {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) await delay(await act(signal), undefined, { ref: false, signal }).catch(() => {});
  };
  void run();
  return { [Symbol.dispose]: () => stopping.abort() };
}
