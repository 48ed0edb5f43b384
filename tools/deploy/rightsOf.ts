import { readFile } from "node:fs/promises";

/** Capabilities by their numbers in the kernel's sets. */
const names: Record<number, string> = { 0: "CHOWN", 6: "SETGID", 7: "SETUID" };

export interface Rights {
  /** Those that it has or can get. One that no file of deploy/ asks for is a number. */
  capabilities: string[];
  canGain: boolean;
  isRoot: boolean;
  /** The most memory that it has had, in MB. */
  peakMegabytes: number;
}

/** What the kernel lets the first process of a container do. */
export async function rightsOf(pid: number): Promise<Rights> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1] ?? "";
  const bounds = BigInt(`0x${read("CapBnd")}`);
  const has = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => (bounds >> BigInt(bit)) & 1n);
  return {
    capabilities: has.map((bit) => names[bit] ?? String(bit)),
    canGain: read("NoNewPrivs") !== "1",
    isRoot: read("Uid") === "0",
    peakMegabytes: Math.round(Number(read("VmHWM")) / 1_000),
  };
}
