import { isPublicAddress, parseIpAddress, reverseLabels } from "../core/ip-address.ts";
import { DnsFault, type Lookup } from "./dns.ts";
import type { CheckResult } from "./verdict.ts";

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
    const isListed = answers.some((answer) => /^127\.(?!255\.255\.)/.test(answer));
    return isListed ? "Fail" : "Warning";
  } catch (error) {
    return error instanceof DnsFault && error.kind === "absent" ? "Pass" : "Timeout";
  }
}
