import type { DnsSource } from "../../../authentication/dns.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Context } from "../../context.ts";

/** Returns the zone file of a server, or the DNS of the service where it has none. */
export async function dnsOf(context: Context, server: ServerId): Promise<DnsSource> {
  const zone = await context.store.getZone(server);
  return zone === undefined ? context.settings.dns : { kind: "fixtures", zone };
}
