import { isIP } from "node:net";

/** Whether an IP address is of the machine itself: 127.0.0.0/8, ::1, or the former written as IPv6 (RFC 4291 §2.5.5.2). */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().startsWith("::ffff:") ? address.slice(7) : address;
  if (isIP(plain) === 4) return plain.startsWith("127.");
  return plain === "::1" || plain === "0:0:0:0:0:0:0:1";
}

/** Whether a host name or address means the machine itself: also `localhost` and below (RFC 6761 §6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name.replace(/^\[(.*)\]$/, "$1"));
}
