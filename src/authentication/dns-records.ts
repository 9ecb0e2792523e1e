import { parseIpAddress, reverseLabels } from "../core/ip-address.ts";
import type { Lookup, RecordType } from "./dns.ts";

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
