import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
export const collectGarbage = runInNewContext("gc") as () => void;
setFlagsFromString("--no-expose-gc");

/** Ends the job in which WeakRefs were made, or read, which keeps their targets. */
export const nextJob = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The bytes of this process's heap that are reachable. */
export async function heapInUse(): Promise<number> {
  await nextJob();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
