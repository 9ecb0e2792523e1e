import { isIP } from "node:net";

const mappedLoopback = /^::ffff:(?:127\.|7f[0-9a-f]{2}:)/i;

/** Returns whether an IP address is loopback: 127.0.0.0/8, ::1, or the former mapped to IPv6 (RFC 4291 §2.5.5.2). */
export function isLoopbackAddress(address: string): boolean {
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || (isIP(address) === 6 && mappedLoopback.test(address));
}

/** Returns whether a host name or address is loopback, including `localhost` and its subdomains (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}
