import { isIP } from "node:net";

/**
 * An IP address or a network: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`.
 *
 * @returns the bits that are given, and those of an address; undefined if the text is neither
 */
export function networkOf(text: string): { bits: number; width: number } | undefined {
  const [address = "", bits] = text.trim().split("/");
  const version = isIP(address);
  const width = version === 4 ? 32 : 128;
  if (version === 0 || (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= width))) return undefined;
  return { bits: bits === undefined ? width : Number(bits), width };
}
