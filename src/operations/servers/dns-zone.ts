import { parseZone, ZoneError } from "../../authentication/zone.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** A zone file that stands in for the name system when a server's mail is checked. */
export interface DnsZone {
  /** As it was put. */
  readonly zone: string;
  /** How many records it has. */
  readonly records: number;
}

/** The server's zone; rejects with `not_found` when there is no server, or no zone. */
export async function getDnsZone(context: Pick<Context, "store">, principal: Principal, id: string): Promise<DnsZone> {
  const server = await openServer(context, principal, id);
  const zone = orNotFound(await context.store.getZone(server.id), "DNS zone");
  return { zone, records: parseZone(zone).recordCount };
}

/** Puts a zone in the place of the one before. Rejects with `not_found`, and with a 400 on `zone` that names the line. */
export async function putDnsZone(
  context: Pick<Context, "store">,
  principal: Principal,
  { id, zone }: { readonly id: string; readonly zone: string | undefined },
): Promise<DnsZone> {
  const server = await openServer(context, principal, id);
  if (zone === undefined) throw invalidField("zone", "The text of a zone file is needed", "required");
  const records = countRecords(zone);
  if (!(await context.store.putZone(server.id, zone))) throw notFound("Server");
  return { zone, records };
}

/** Lets the name system speak for itself again; rejects with `not_found` when there is no server, or no zone. */
export async function deleteDnsZone(context: Pick<Context, "store">, principal: Principal, id: string): Promise<void> {
  const server = await openServer(context, principal, id);
  if (!(await context.store.removeZone(server.id))) throw notFound("Server");
}

function countRecords(zone: string): number {
  try {
    return parseZone(zone).recordCount;
  } catch (error) {
    if (error instanceof ZoneError) throw invalidField("zone", error.message, "invalid_zone");
    throw error;
  }
}
