/** Names that a certificate speaks for: host names in lower case, a wildcard in front, or IP addresses. */
import { hostname, networkInterfaces } from "node:os";
import { BlockList, isIP } from "node:net";

/** The names of a service. */
export interface HostNames {
  /** What the local CA must be able to speak for; a CA that cannot is replaced. */
  readonly required: readonly string[];
  /** What comes with the machine and may change any day, such as a container's name: left out where the CA cannot. */
  readonly optional: readonly string[];
}

/** What the names are derived from. */
export interface HostNameSources {
  readonly mailDomain: string;
  /** The IP address that is listened on. */
  readonly bind: string;
  /** Host of the public URL; null without one. */
  readonly publicHost: string | null;
}

const hostNamePattern =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Networks that no one on the internet can own; the local CA may always speak for addresses in them. */
export const privateNetworks: readonly (readonly [network: string, prefixBits: number])[] = [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10],
];

const privateAddresses = new BlockList();
for (const [network, bits] of privateNetworks) privateAddresses.addSubnet(network, bits, familyOf(network));

/**
 * Every name that clients may know this service by. `mailosaur.com` is among them so that official clients can be
 * led here; only those who trust the local CA believe it.
 */
export function hostNamesOf(sources: HostNameSources): HostNames {
  const { mailDomain, bind, publicHost } = sources;
  const everywhere = bind === "0.0.0.0" || bind === "::";
  const chosen = [...(everywhere ? [] : [bind]), ...(publicHost === null ? [] : [publicHost])];
  const required = ["localhost", "127.0.0.1", "::1", mailDomain, `*.${mailDomain}`, "mailosaur.com", ...chosen];
  const optional = [hostname(), ...(everywhere ? machineAddresses() : [])];
  return { required: normalized(required), optional: normalized(optional).sort() };
}

/** Whether an IP address lies in one of {@link privateNetworks}. */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, familyOf(address));
}

/** The bytes of an IP address: four or sixteen. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return Buffer.from([...left, ...zeros, ...right].flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address);
}

/** Each once, in lower case, without what cannot stand in a certificate. */
function normalized(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase().replace(/^\[(.*)\]$/, "$1"));
  return [...new Set(lower)].filter((name) => isIP(name) > 0 || hostNamePattern.test(name.replace(/^\*\./, "")));
}
