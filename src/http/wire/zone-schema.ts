/** Schemas of DNS zones of servers. */
import type { DnsZone } from "../../operations/servers/dns-zone.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** Schema of a DNS zone. */
export const zoneSchema: WireSchema<DnsZone> = schemaOf<DnsZone>()(
  build.object(
    {
      zone: build.string({ description: "Zone file (RFC 1035 §5), as it was set." }),
      records: build.integer({ minimum: 0, description: "Number of records." }),
    },
    { $id: "DnsZone" },
  ),
);

/** Request body that sets a DNS zone. */
export const zoneRequestSchema: WireSchema<{ readonly zone?: string }> = schemaOf<{ readonly zone?: string }>()(
  build.object({ zone: build.optional(build.string({ description: "Zone file (RFC 1035 §5)." })) }),
);
