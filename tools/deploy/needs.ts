import { once } from "node:events";
import { createServer } from "node:net";
import { tryRun } from "./run.ts";

/** @returns what stands in the way of a composition with these ports */
export async function machineNeeds(ports: readonly number[]): Promise<string[]> {
  const lacks: string[] = [];
  for (const port of ports) if (!(await isFree(port))) lacks.push(`port ${port}, which something else uses`);
  if (!(await tryRun("openssl", ["version"]))) lacks.push("openssl: apt install openssl");
  return lacks;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port);
  try {
    await once(probe, "listening");
    probe.close();
    return true;
  } catch (error) {
    // Without the right to open it, this cannot tell.
    return (error as NodeJS.ErrnoException).code === "EACCES";
  }
}
