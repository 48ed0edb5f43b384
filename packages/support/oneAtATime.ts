/**
 * Makes an action that never runs twice at the same time. Calls during a run share one further run after it, because data
 * that the current run has read may have changed since.
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
