import { isIP } from "node:net";
import { inNetworks } from "../core/ip-address.ts";
import type { Hosts } from "../ingress/lines/listen-on.ts";
import type { StartTls } from "../ingress/smtp/options.ts";

/** Whether an IP address can only be reached from this machine. */
export const isLoopback: (address: string) => boolean = inNetworks(["127.0.0.0/8", "::1"]);

/** Whether every address of the listeners can only be reached from this machine. */
export function isLoopbackOnly(bind: Hosts): boolean {
  return bind.every(isLoopback);
}

/** Returns the first address that other machines can reach; undefined when all are loopback. */
export function exposedAddress(bind: Hosts): string | undefined {
  return bind.find((address) => !isLoopback(address));
}

/** Returns the address at which this machine reaches listeners that are bound to `bind`, the first of several. */
export function reachableAddress([bind]: Hosts): string {
  return bind === "0.0.0.0" ? "127.0.0.1" : bind === "::" ? "::1" : bind;
}

/** Formats host and port as in URLs: IPv6 addresses in brackets (RFC 3986 §3.2.2). */
export function hostAndPort(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/**
 * Returns the STARTTLS policy of a client address. With `auto`, EHLO lists STARTTLS to clients on other machines only:
 * mail libraries that use TLS wherever it is offered would reject the local CA, and loopback traffic cannot be intercepted.
 */
export function startTlsRule(setting: "auto" | "always" | "never"): (clientAddress: string) => StartTls {
  if (setting === "always") return () => "offered";
  if (setting === "never") return () => "refused";
  return (clientAddress) => (isLoopback(clientAddress) ? "accepted" : "offered");
}
