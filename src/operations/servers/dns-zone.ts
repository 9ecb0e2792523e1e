import { parseZone, ZoneError } from "../../authentication/zone.ts";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Schema of a DNS zone. */
export const zoneSchema = build.object(
  {
    zone: build.string("Zone file (RFC 1035 §5), as it was set."),
    records: build.integer({ minimum: 0, description: "Number of records." }),
  },
  { $id: "DnsZone" },
);

/** Zone file that replaces DNS in checks of a server's mail. */
export type DnsZone = ValueOf<typeof zoneSchema>;

/** Request body that sets a DNS zone. */
export const zoneRequestSchema = build.partial({ zone: build.string("Zone file (RFC 1035 §5).") });

/** Returns the server's zone file. Rejects with `not_found` without server or zone file. */
export async function getDnsZone(context: Context, principal: Principal, id: string): Promise<DnsZone> {
  const server = await openServer(context, principal, id);
  const zone = orNotFound(await context.store.getZone(server.id), "DNS zone");
  return { zone, records: parseZone(zone).recordCount };
}

/** Replaces the server's zone file. Rejects with `not_found`, and with a 400 on `zone` that names the line. */
export async function putDnsZone(
  context: Context,
  principal: Principal,
  { id, zone }: { readonly id: string; readonly zone: string | undefined },
): Promise<DnsZone> {
  const server = await openServer(context, principal, id);
  if (zone === undefined) throw invalidField("zone", "The text of a zone file is required", "required");
  const records = countRecords(zone);
  if (!(await context.store.putZone(server.id, zone))) throw notFound("Server");
  return { zone, records };
}

/** Deletes the server's zone file, so that checks use DNS again. Rejects with `not_found` without server or zone file. */
export async function deleteDnsZone(context: Context, principal: Principal, id: string): Promise<void> {
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
