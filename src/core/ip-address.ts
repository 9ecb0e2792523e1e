/** IP addresses and networks. */
import { BlockList, isIP } from "node:net";

/** Parses an IP address to 4 or 16 bytes, IPv4-mapped IPv6 (RFC 4291 §2.5.5.2) as IPv4; undefined when it is malformed. */
export function parseIpAddress(text: string): Uint8Array | undefined {
  if (isIP(text) === 0 || text.includes("%")) return undefined;
  const bytes = addressBytes(text);
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** Returns the four or sixteen bytes of an IP address. The text must be a valid address without a zone. */
export function addressBytes(text: string): Uint8Array {
  if (!text.includes(":")) return Uint8Array.from(text.split("."), Number);
  const [head = "", tail] = text.split("::");
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const bytes = new Uint8Array(16);
  bytes.set(first, 0);
  bytes.set(last, 16 - last.length);
  return bytes;
}

/**
 * Whether an address is one of the public Internet: of IPv4 everything outside the special-purpose registry (RFC 6890
 * and its successors at IANA) and multicast; of IPv6 only global unicast (2000::/3) outside of that registry, and no form
 * that embeds an IPv4 address (6to4, Teredo, NAT64, ISATAP, mapped, compatible).
 */
export function isPublicAddress(text: string): boolean {
  const bytes = parseIpAddress(text);
  if (bytes === undefined) return false;
  if (bytes.length === 4) return !specialIpv4.check(bytes.join("."), "ipv4");
  const address = hexadecimal(bytes);
  return globalUnicast.check(address, "ipv6") && !specialIpv6.check(address, "ipv6") && !isIsatap(bytes);
}

/** Returns the labels of an address for a reverse DNS query, without the zone: octets or nibbles, last first. */
export function reverseLabels(address: Uint8Array): string {
  if (address.length === 4) return Array.from(address).toReversed().join(".");
  return Array.from(Buffer.from(address).toString("hex")).toReversed().join(".");
}

const specialIpv4 = blockList("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);
const globalUnicast = blockList("ipv6", ["2000::/3"]);
const specialIpv6 = blockList("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]);

function blockList(family: "ipv4" | "ipv6", subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = "", prefix] = subnet.split("/");
    list.addSubnet(net, Number(prefix), family);
  }
  return list;
}

/** RFC 5214 §6.1: the interface identifier ends in 0000:5efe or 0200:5efe and an IPv4 address. */
function isIsatap(bytes: Uint8Array): boolean {
  return ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
}

function hexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .replaceAll(/(.{4})(?=.)/g, "$1:");
}

function groups(text: string): readonly number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 0xff];
  });
}

/** Whether the text is an IP address without a zone, or a network in CIDR notation (RFC 4632 §3.1): `192.0.2.0/24`. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...others] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (bits < 0 || address.includes("%") || others.length > 0) return false;
  return prefix === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits);
}

/** Returns a predicate: whether an IP address is one of these addresses or in one of these networks (see {@link isNetwork}). */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (address) => list.check(address, familyOf(address));
}

/** Returns the family of an address without validating it, which compiles the expression of IPv6 addresses: 10 ms of a start. */
function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** Bits of IPv4 and IPv6 addresses that name a network. */
export interface NetworkBits {
  readonly ipv4: number;
  readonly ipv6: number;
}

/** Networks that registries assign to one holder in general: /24 of IPv4, /48 of IPv6 (RFC 6177 §2). */
export const holderNetworks: NetworkBits = { ipv4: 24, ipv6: 48 };

/** Returns the network of an address in whole bytes, IPv4-mapped addresses as IPv4; the text itself when it is no address. */
export function networkOf(address: string, bits: NetworkBits): string {
  const bytes = parseIpAddress(address);
  if (bytes === undefined) return address;
  const prefix = bytes.length === 4 ? bits.ipv4 : bits.ipv6;
  return `${Buffer.from(bytes.subarray(0, prefix / 8)).toString("hex")}/${String(prefix)}`;
}
