import { leasedQueues } from "../../core/quarantine.ts";
import type { RetryRequest, ShownQuarantine } from "../../operations/quarantine/quarantined-work.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

const queue = build.enum(leasedQueues, {
  description:
    "`outbox`: outbound mail and SMS; `deliveries`: callbacks; `scans`: links of mails; `scheduled`: scheduled and held messages; `reparses`: mails that could not be parsed.",
});

/** JSON of quarantined work. */
export type WireQuarantine = ShownQuarantine;

/** Schema of quarantined work. */
export const quarantineSchema: WireSchema<WireQuarantine> = schemaOf<WireQuarantine>()(
  build.object(
    {
      queue,
      id: build.string({ description: "Id of the work within its queue." }),
      message: orNull(build.string({ format: "uuid" }), { description: "Message that it is about." }),
      server: orNull(build.string(), { description: "Id of the message's server." }),
      attempts: build.integer({ minimum: 0, description: "Attempts that were started." }),
      reason: build.string({ description: "Reason of the quarantine." }),
      quarantined: build.string({ format: "date-time", description: "Instant of the quarantine." }),
    },
    { $id: "QuarantinedWork" },
  ),
);

/** Schema of a request that retries quarantined work. */
export const quarantineRetrySchema: WireSchema<RetryRequest> = schemaOf<RetryRequest>()(
  build.object({
    queue: build.optional(build.enum(leasedQueues, { description: "Only work of this queue; all by default." })),
    id: build.optional(build.string({ description: "Only work with this id; all by default." })),
  }),
);
