import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Of the time between two looks. A process that has less to do is idle, and a pause of a tenth of a second holds up next to nobody. */
const idleShare = 0.02;
/** So many idle looks in a row. After a collection, V8 compiles anew what runs often: the next thousand requests take twice the time. */
const idleLooks = 12;
/** Less than this is not worth it. In bytes. */
const worth = 64 * 2 ** 20;

/**
 * Gives memory back to the system when the process has been idle. V8 keeps what its heap has grown to under load, and collects only
 * when something is allocated: a process that serves nobody any more would hold half a gigabyte for fifty MB.
 *
 * @param lookMs a twelfth of how long it is idle first
 * @returns what ends it
 */
export function returnIdleMemory(lookMs = 10_000): Disposable {
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  let last = performance.eventLoopUtilization();
  let looks = 0;
  /** Of the heap, after the last collection. */
  let kept = 0;
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    looks = performance.eventLoopUtilization(now, last).utilization < idleShare ? looks + 1 : 0;
    last = now;
    if (looks < idleLooks || getHeapStatistics().total_heap_size < kept + worth) return;
    // Only this flavor gives all empty pages back.
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
    kept = getHeapStatistics().total_heap_size;
  }, lookMs).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}
