/** Zones of servers as the wire shows them. */
import type { DnsZone } from "../../operations/dns-zone.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** A server's zone. */
export const zoneSchema: WireSchema<DnsZone> = schemaOf<DnsZone>()(
  build.object(
    {
      zone: build.string({ description: "A zone file (RFC 1035 §5), as it was put." }),
      records: build.integer({ minimum: 0, description: "How many records it has." }),
    },
    { $id: "DnsZone" },
  ),
);

/** Body that puts a zone. */
export const zoneRequestSchema: WireSchema<{ readonly zone?: string }> = schemaOf<{ readonly zone?: string }>()(
  build.object({ zone: build.optional(build.string({ description: "A zone file (RFC 1035 §5)." })) }),
);
