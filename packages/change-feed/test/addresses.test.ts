import assert from "node:assert/strict";
import { test } from "node:test";
import ipaddr from "ipaddr.js";
import { isPublic } from "../addresses.ts";

/* Which addresses webhooks reach, tried at the edges of each block of IANA's registries of special-purpose addresses. */
const special = {
  ipv4: `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
    192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32`,
  // Beside the registry: the two that it has withdrawn (::/96, fec0::/10), and all that is not 2000::/3.
  ipv6: `::/128 ::1/128 ::/96 100::/64 100:0:0:1::/64 64:ff9b:1::/48 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48
    2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7
    fe80::/10 fec0::/10 ff00::/8 ::ffff:0:0:0/96 4000::/2 8000::/1 ::/3`,
};
const blocks = Object.values(special).flatMap((list) => list.split(/\s+/).map((block) => ipaddr.parseCIDR(block)));

type Address = ipaddr.IPv4 | ipaddr.IPv6;
const toNumber = (address: Address) => address.toByteArray().reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
const fromNumber = (value: bigint, size: number) =>
  ipaddr.fromByteArray(
    Array.from({ length: size }, (_, place) => Number((value >> BigInt(8 * (size - 1 - place))) & 255n)),
  );
const isSpecial = (address: Address) =>
  blocks.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits));
const edges = blocks.map(([base, bits]) => {
  const size = base.toByteArray().length;
  const first = toNumber(base);
  const length = 1n << BigInt(8 * size - bits);
  const at = (value: bigint) => fromNumber(value, size);
  const outside = [first - 1n, first + length].filter((value) => value >= 0n && value < 1n << BigInt(8 * size)).map(at);
  return { block: `${base}/${bits}`, inside: [first, first + length / 2n, first + length - 1n].map(at), outside };
});
// 64:ff9b::/96 leads to the IPv4 address that it contains, and ::ffff:0:0/96 is one.
const leads = (address: Address) =>
  address.match(ipaddr.parseCIDR("64:ff9b::/96") as never) || /^::ffff:/.test(`${address}`);

test("no address of a special block is public, and its neighbours are unless they are in another one", () => {
  for (const { block, inside, outside } of edges) {
    for (const address of inside) {
      if (address.kind() === "ipv6" && leads(address)) continue;
      assert.equal(isPublic(`${address}`), false, `${address} of ${block}`);
    }
    for (const address of outside) {
      if (address.kind() === "ipv6" && leads(address)) continue;
      assert.equal(isPublic(`${address}`), !isSpecial(address), `${address} beside ${block}`);
    }
  }
});

test("an IPv6 address that contains an IPv4 address is not public, or leads to a public one", () => {
  const inner = [
    ...edges.flatMap(({ inside }) => inside),
    ...["8.8.8.8", "1.1.1.1", "93.184.215.14"].map((text) => ipaddr.parse(text)),
  ];
  for (const address of inner) {
    if (address.kind() === "ipv6") continue;
    const [a, b, c, d] = address.toByteArray() as [number, number, number, number];
    const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
    const inverted = `${(((a << 8) | b) ^ 0xffff).toString(16)}:${(((c << 8) | d) ^ 0xffff).toString(16)}`;
    for (const mapped of [`::ffff:${hex}`, `::ffff:${address}`, `64:ff9b::${hex}`, `0:0:0:0:0:FFFF:${hex}`]) {
      assert.equal(isPublic(mapped), isPublic(`${address}`), mapped);
    }
    for (const never of [
      `::${hex}`,
      `::${address}`,
      `2002:${hex}::1`,
      `2001:0:${hex}::1`,
      `2001:0:4136:e378:8000:63bf:${inverted}`,
      `64:ff9b:1::${hex}`,
      `::ffff:0:${hex}`,
      `fe80::5efe:${hex}`,
      `2a00:1450:4001:800:0:5efe:${hex}`,
      `2a00:1450:4001:800:200:5efe:${hex}`,
    ]) {
      assert.equal(isPublic(never), false, never);
    }
  }
});

test("public addresses are", () => {
  for (const address of [
    "8.8.8.8",
    "223.255.255.255",
    "192.0.1.1",
    "2a00:1450:4001:800::200e",
    "2600::1",
    "2001:4860:4860::8888",
  ]) {
    assert.equal(isPublic(address), true, address);
  }
});
