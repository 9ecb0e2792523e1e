/** Recognition of this service's own listeners, which trust this machine and which scanners never call. */
import { networkInterfaces } from "node:os";
import { inNetworks } from "../../core/networks.ts";
import { parseIpAddress } from "../../core/ip-address.ts";

const isLoopback = inNetworks(["127.0.0.0/8", "::1"]);

/** Returns the addresses of the interfaces of this machine, which may change while the service runs. */
export function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

/** Returns whether an address is one of this machine, in any notation. */
export function isOfThisMachine(address: string, own: readonly string[]): boolean {
  if (isLoopback(address)) return true;
  const asked = keyOf(address);
  return own.some((one) => keyOf(one) === asked);
}

function keyOf(address: string): string {
  return String(parseIpAddress(address.split("%", 1)[0] ?? "") ?? address);
}
