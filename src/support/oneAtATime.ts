/**
 * An act that never runs twice at once. Asked for while it runs, it runs once more afterwards, however often it was asked
 * for: what it had already read may have changed since.
 */
export function oneAtATime<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;

  const run = (): Promise<Result> => {
    running = act().finally(() => {
      running = undefined;
    });
    return running;
  };
  const runNext = (): Promise<Result> => {
    next = undefined;
    return run();
  };
  return () => {
    if (!running) return run();
    next ??= running.then(runNext, runNext);
    return next;
  };
}
