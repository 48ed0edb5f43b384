import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Of the time between two looks. A process that has less to do is idle, and a pause of a tenth of a second holds up next to nobody. */
const idleShare = 0.02;
/** Less than this is not worth a collection, after which V8 compiles anew what runs often. In bytes. */
const worth = 40 * 2 ** 20;

/**
 * Gives memory back to the system when the process has been idle. V8 keeps what its heap has grown to under load, and collects only
 * when something is allocated: a process that serves nobody any more would hold half a gigabyte for fifty MB.
 *
 * @param lookMs how long it is idle first
 * @returns what ends it
 */
export function returnIdleMemory(lookMs = 30_000): Disposable {
  setFlagsFromString("--expose-gc");
  const collect: NodeJS.GCFunction = runInNewContext("gc");
  let last = performance.eventLoopUtilization();
  /** Of the heap, after the last collection. */
  let kept = 0;
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > idleShare || getHeapStatistics().total_heap_size < kept + worth) return;
    // Only this flavor gives all empty pages back.
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
    kept = getHeapStatistics().total_heap_size;
    last = performance.eventLoopUtilization();
  }, lookMs).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}
