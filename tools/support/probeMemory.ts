import type { ServiceProcess } from "./ServiceProcess.ts";

/** The memory of a service at one moment, in bytes. */
export interface MemoryProbe {
  /** What is reachable, on and off the heap. */
  live: number;
  /** What the ledger says that clients hold, and each kind of it. */
  charged: number;
  held: Record<string, number>;
  rss: number;
}

/** The options of Node for a service that probeMemory() can ask. */
export const probeOptions = `--expose-gc --import ${new URL("memoryProbe.ts", import.meta.url).href}`;

/** Collects the garbage of a service in the middle of whatever it does, and looks at what is left. */
export async function probeMemory(service: ServiceProcess): Promise<MemoryProbe> {
  const from = service.output.length;
  service.child.kill("SIGUSR2");
  return service.until((output) => {
    const line = /\nMEMORY (\{.*\})\n/.exec(output.slice(from))?.[1];
    return line === undefined ? undefined : (JSON.parse(line) as MemoryProbe);
  });
}
