/** Recognition of this service's own listeners, some of which trust this machine, and which no outbound call reaches. */
import { networkInterfaces } from "node:os";
import { inNetworks, parseIpAddress } from "../core/ip-address.ts";
import type { OwnService } from "../core/outgoing-target.ts";

const isLoopback = inNetworks(["127.0.0.0/8", "::1"]);

/** Facts about this service, which may change while it runs. */
export interface OwnListenersOptions {
  /** Returns the base URL by which others reach the service. */
  readonly publicUrl: () => string;
  /** Returns the ports of the listeners of this process. */
  readonly ports: () => ReadonlySet<number>;
  /** Returns the addresses of this machine besides loopback addresses; those of its interfaces by default. */
  readonly addresses?: () => readonly string[];
}

/** Creates the recognition of the listeners of this service. */
export function createOwnListeners({
  publicUrl,
  ports,
  addresses = machineAddresses,
}: OwnListenersOptions): OwnService {
  return {
    isOwnOrigin: (origin) => URL.parse(publicUrl())?.origin === origin,
    isOwnListener: (address, port) => ports().has(port) && isOfThisMachine(address, addresses()),
  };
}

/** Returns the addresses of the interfaces of this machine, which may change while the service runs. */
function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));
}

/** Returns whether an address is one of this machine, in any notation, or unspecified, which connects to this machine. */
function isOfThisMachine(address: string, own: readonly string[]): boolean {
  const asked = keyOf(address);
  if (isLoopback(address) || asked === unspecified || asked === unspecifiedIpv6) return true;
  return own.some((one) => keyOf(one) === asked);
}

function keyOf(address: string): string {
  return String(parseIpAddress(address.split("%", 1)[0] ?? "") ?? address);
}

const unspecified = keyOf("0.0.0.0");
const unspecifiedIpv6 = keyOf("::");
