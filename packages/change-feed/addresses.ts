import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * Whether an address is on the public internet, by IANA's registries (ipaddr.js has them): IPv4 outside of all special blocks, IPv6 in 2000::/3
 * outside of them. An IPv6 address that contains an IPv4 address counts as that one where it leads there (::ffff:0:0/96, NAT64), and is not
 * public otherwise (6to4, Teredo, ISATAP).
 */
export function isPublic(address: string): boolean {
  // ipaddr.js reads ::8.8.8.8 as ::ffff:8.8.8.8. An address with a zone is no URL's.
  const written = isIP(address) === 6 ? URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) : address;
  if (written === undefined) return false;
  const parsed = ipaddr.process(written);
  if (!("parts" in parsed)) return parsed.range() === "unicast";
  const { parts } = parsed;
  const range = parsed.range();
  if (range === "rfc6052" && parts[2] === 0)
    return isPublic(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString());
  const [first = 0] = parts;
  const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
  return range === "unicast" && first >> 13 === 1 && !isIsatap;
}

/** A list of addresses and networks: `127.0.0.1`, `10.0.0.0/8`. */
export class AddressList {
  readonly #list = new BlockList();

  /** @throws for what is neither an address nor a network */
  constructor(addresses: readonly string[]) {
    for (const given of addresses) {
      const [address = "", bits] = given.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** False for what is no address. */
  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, `ipv${version as 4 | 6}`);
  }
}
