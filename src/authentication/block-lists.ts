import { isPublicAddress, parseIpAddress, reverseLabels } from "../core/ip-address.ts";
import { DnsFault, type Lookup, type RecordType } from "./dns.ts";
import type { CheckResult } from "./mail-authentication.ts";

/** Result of one list for the client's address. */
export interface BlockListVerdict {
  /** Zone of the list. */
  readonly id: string;
  readonly name: string;
  readonly result: CheckResult;
}

/** DNS block lists (RFC 5782) that many receivers use and that may be queried without registration. */
const lists: readonly (readonly [zone: string, name: string])[] = [
  ["zen.spamhaus.org", "Spamhaus ZEN"],
  ["bl.spamcop.net", "SpamCop"],
  ["b.barracudacentral.org", "Barracuda"],
  ["psbl.surriel.com", "PSBL"],
  ["dnsbl.dronebl.org", "DroneBL"],
];

/**
 * Queries every list for an address: `Pass` if it is not listed, `Fail` if it is, `Warning` if the list refuses to
 * answer this resolver, `Timeout` if it does not answer. Addresses outside of the public Internet are on no list and
 * are not queried. Never rejects or returns an empty array.
 */
export async function queryBlockLists(
  clientAddress: string | null,
  lookup: Lookup,
): Promise<readonly BlockListVerdict[]> {
  const address = clientAddress !== null && isPublicAddress(clientAddress) ? parseIpAddress(clientAddress) : undefined;
  return Promise.all(
    lists.map(async ([id, name]) => {
      return { id, name, result: address === undefined ? "Pass" : await queryList(id, address, lookup) } as const;
    }),
  );
}

async function queryList(zone: string, address: Uint8Array, lookup: Lookup): Promise<CheckResult> {
  try {
    const answers = await lookup(`${reverseLabels(address)}.${zone}`, "A");
    // Spamhaus answers public resolvers with 127.255.255.0/24; anything outside of 127/8 is forged by a resolver.
    return answers.some((answer) => /^127\.(?!255\.255\.)/.test(answer)) ? "Fail" : "Warning";
  } catch (error) {
    return error instanceof DnsFault && error.kind === "absent" ? "Pass" : "Timeout";
  }
}

/**
 * Returns whether a list (RFC 5782 §2) has a client: `unknown` when it does not answer this resolver, when its answer means
 * something else, and when the client's address is not an IP address. Never rejects.
 */
export async function isListed(
  zone: string,
  clientAddress: string,
  lookup: Lookup,
): Promise<"listed" | "absent" | "unknown"> {
  const address = parseIpAddress(clientAddress);
  const result = address === undefined ? "Timeout" : await queryList(zone, address, lookup);
  if (result === "Fail") return "listed";
  return result === "Pass" ? "absent" : "unknown";
}

/** DNS records of a sender. */
export interface SenderRecords {
  /** Addresses of the sender's domain, IPv4 before IPv6. */
  readonly a: readonly string[];
  /** Names of the domain's mail hosts, by preference. */
  readonly mx: readonly string[];
  /** Names of the client's address. */
  readonly ptr: readonly string[];
}

/** Looks up the records of a sender; missing records and failed look-ups are empty lists. Never rejects. */
export async function findSenderRecords(
  sender: { readonly domain: string | null; readonly clientAddress: string | null },
  lookup: Lookup,
): Promise<SenderRecords> {
  const find = async (name: string | null, type: RecordType): Promise<readonly string[]> =>
    // Failed look-ups are shown as absent records.
    name === null ? [] : lookup(name, type).catch(() => []);
  const [ipv4, ipv6, mx, ptr] = await Promise.all([
    find(sender.domain, "A"),
    find(sender.domain, "AAAA"),
    find(sender.domain, "MX"),
    find(reverseName(sender.clientAddress), "PTR"),
  ]);
  const preference = (record: string): number => Number(record.split(" ", 1)[0]);
  const hosts = mx.toSorted((one, other) => preference(one) - preference(other));
  return { a: [...ipv4, ...ipv6], mx: hosts.map((record) => record.slice(record.indexOf(" ") + 1)), ptr };
}

function reverseName(clientAddress: string | null): string | null {
  const address = clientAddress === null ? undefined : parseIpAddress(clientAddress);
  if (address === undefined) return null;
  return `${reverseLabels(address)}.${address.length === 4 ? "in-addr.arpa" : "ip6.arpa"}`;
}
