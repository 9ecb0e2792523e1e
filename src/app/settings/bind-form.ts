/** Addresses of the listeners. */
import { isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Hosts } from "../../ingress/lines/listen-on.ts";
import type { Form } from "./setting.ts";

const loopbackAddresses = ["127.0.0.1", "::1"] as const;
const unspecified: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** IP addresses, and `localhost` for both loopback addresses, of which those that this machine lacks are left out. */
export const bindAddresses: Form<Hosts> = {
  allowed:
    "IPv4 and IPv6 addresses separated by commas, such as 127.0.0.1,::1, or localhost; 0.0.0.0 and :: without another address of their kind",
  read: (given) => readAddresses(given, machineAddresses()),
};

/** Returns the distinct addresses of a text; undefined when it is not valid. `own` are the addresses of this machine. */
export function readAddresses(given: string, own: readonly string[]): Hosts | undefined {
  const found = loopbackAddresses.filter((address) => own.includes(address));
  const localhost = found.length > 0 ? found : loopbackAddresses;
  const named = given.split(",").flatMap((one) => (one.trim() === "localhost" ? localhost : [one.trim()]));
  if (named.some((address) => isIP(address) === 0 || address.includes("%"))) return undefined;
  const [first, ...others] = new Set(named.map(canonical));
  return first === undefined || includesAnother([first, ...others]) ? undefined : [first, ...others];
}

/** Returns a sentence for the address that `localhost` lacks on this machine. */
export function localhostWarnings(given: string, own: readonly string[] = machineAddresses()): readonly string[] {
  if (!given.split(",").some((one) => one.trim() === "localhost")) return [];
  const [first, ...others] = loopbackAddresses.filter((address) => own.includes(address));
  if (first === undefined || others.length > 0) return [];
  const missing = loopbackAddresses.filter((address) => address !== first).join();
  return [`localhost means ${first} only: this machine does not have the address ${missing}`];
}

/** Returns whether an unspecified address stands beside another of its kind, which it includes. */
function includesAnother(addresses: Hosts): boolean {
  const ofIpv4 = addresses.filter((address) => isIPv4(address));
  const ofIpv6 = addresses.filter((address) => !isIPv4(address));
  return [ofIpv4, ofIpv6].some((kind) => kind.length > 1 && kind.some((address) => unspecified.has(address)));
}

/** Returns the shortest notation of an address (RFC 5952 §4). */
function canonical(address: string): string {
  return isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}
