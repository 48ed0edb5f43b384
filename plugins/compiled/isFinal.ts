import { reruns } from "@content-service/errors/reruns.ts";
import { NotCompiled } from "./NotCompiled.ts";

interface Failed {
  /** Whether the database may have done what the operation asks for. False for a query. */
  isDone: boolean;
  rootFields: number;
}

/**
 * Whether an error of a compiled statement is the result. Else the engine executes the operation again: it may tell more, and of several
 * root fields it executes each alone, so that one does not fail the others.
 */
export function isFinal(error: unknown, { isDone, rootFields }: Failed): boolean {
  if (error instanceof NotCompiled) return false;
  return isDone || (rootFields === 1 && !reruns.compiled.isFor(error));
}
