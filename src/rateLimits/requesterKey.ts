import ipaddr from "ipaddr.js";

/** One customer's network in IPv6, in bytes: whoever has an address there has all of them. */
const networkBytes = 8;

/**
 * Who is counted as one: an IPv4 address, however it is written, or a /64 of IPv6.
 *
 * @param address as Node or a trusted proxy gives it; anything else is counted as one
 */
export function requesterKey(address: string): string {
  if (!ipaddr.isValid(address)) return "unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const bytes = [...parsed.toByteArray().slice(0, networkBytes), ...Array<number>(networkBytes).fill(0)];
  return `${ipaddr.fromByteArray(bytes).toString()}/64`;
}
