import { setTimeout as delay } from "node:timers/promises";

/** Asks again until it is so. The pause leaves the processor to what is waited for. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(5);
}
