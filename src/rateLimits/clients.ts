import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** A customer's network in IPv6, in bytes. Its owner can use every address in it. */
const networkBytes = 8;

/**
 * The key that a client is counted by: its IPv4 address, however it is written, or its /64 of IPv6.
 *
 * @param address from Node or a trusted proxy; all that are not IP addresses share one key
 */
export function requesterKey(address: string): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const bytes = [...parsed.toByteArray().slice(0, networkBytes), ...Array<number>(networkBytes).fill(0)];
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}

/** An amount for each client, by requesterKey(), and for all together. A client without any takes no memory. */
export class ClientCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(client: string): number {
    return this.#counts.get(client) ?? 0;
  }

  add(client: string, change: number): void {
    this.#total += change;
    const count = this.of(client) + change;
    if (count > 0) this.#counts.set(client, count);
    else this.#counts.delete(client);
  }
}
