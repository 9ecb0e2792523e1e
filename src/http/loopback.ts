import { isIP } from "node:net";

const mappedLoopback = /^::ffff:(?:127\.|7f[0-9a-f]{2}:)/i;

/** Whether an IP address is of the machine itself: 127.0.0.0/8, ::1, or the former written as IPv6 (RFC 4291 §2.5.5.2). */
export function isLoopbackAddress(address: string): boolean {
  if (isIP(address) === 4) return address.startsWith("127.");
  return address === "::1" || (isIP(address) === 6 && mappedLoopback.test(address));
}

/** Whether a host name or address means the machine itself: also `localhost` and below (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}
