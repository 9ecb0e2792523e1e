/** Names of a certificate: host names in lower case, wildcards, or IP addresses. */
import { hostname, networkInterfaces } from "node:os";
import { isIP } from "node:net";
import { inNetworks } from "../core/ip-address.ts";
import { mailDomainDefault } from "../core/mail-addresses.ts";

/** Names of a service. */
export interface HostNames {
  /** Names that the local CA must permit; otherwise it is replaced. */
  readonly required: readonly string[];
  /** Names of the machine that may change, such as the name of a container; omitted when the CA does not permit them. */
  readonly optional: readonly string[];
}

/** Settings that the names derive from. */
export interface HostNameSources {
  readonly mailDomain: string;
  /** IP addresses of the listeners. */
  readonly bind: readonly string[];
  /** Host of the public URL; null without one. */
  readonly publicHost: string | null;
  /** Host name in the MX record; null, by default, without one. */
  readonly mailHost?: string | null;
  /** Host names of providers whose requests are redirected; none by default. */
  readonly intercepted?: readonly string[];
}

const hostNamePattern =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Networks outside of the public Internet; the local CA permits all addresses in them. */
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

/** Returns whether an IP address is in one of {@link privateNetworks}. */
export const isPrivateAddress: (address: string) => boolean = inNetworks(
  privateNetworks.map(([network, bits]) => `${network}/${String(bits)}`),
);

/**
 * Returns every name by which clients may reach the service. `mailosaur.com` is included for the official clients, whose
 * requests are redirected; only clients that trust the local CA accept it.
 */
export function hostNamesOf(sources: HostNameSources): HostNames {
  const { mailDomain, bind, publicHost, mailHost = null, intercepted = [] } = sources;
  const named = bind.filter((address) => address !== "0.0.0.0" && address !== "::");
  const everywhere = named.length < bind.length;
  const chosen = [...named, ...[publicHost, mailHost].filter((name) => name !== null)];
  const required = [
    "localhost",
    "127.0.0.1",
    "::1",
    ...namesOfDomain(mailDomain),
    "mailosaur.com",
    ...intercepted,
    ...chosen,
  ];
  const optional = [hostname(), ...namesOfDomain(mailDomainDefault), ...(everywhere ? machineAddresses() : [])];
  return { required: normalized(required), optional: normalized(optional).sort() };
}

function namesOfDomain(domain: string): readonly string[] {
  return [domain, `*.${domain}`];
}

function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address);
}

/** Returns distinct names in lower case, without those that are invalid in a certificate. */
function normalized(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase().replace(/^\[(.*)\]$/, "$1"));
  return [...new Set(lower)].filter((name) => isIP(name) > 0 || hostNamePattern.test(name.replace(/^\*\./, "")));
}
