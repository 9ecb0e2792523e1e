import { isIP } from "node:net";
import { inNetworks } from "../core/networks.ts";

/** Whether an IP address can only be reached from this machine. */
export const isLoopback: (address: string) => boolean = inNetworks(["127.0.0.0/8", "::1"]);

/** Returns the address at which this machine reaches a listener that is bound to `bind`. */
export function reachableAddress(bind: string): string {
  return bind === "0.0.0.0" ? "127.0.0.1" : bind === "::" ? "::1" : bind;
}

/** Formats host and port as in URLs: IPv6 addresses in brackets (RFC 3986 §3.2.2). */
export function hostAndPort(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
