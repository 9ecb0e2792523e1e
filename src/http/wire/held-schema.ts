/** Schema of held messages; the compiler compares it with its type. */
import { recipientCountMax, type ShownHeld } from "../../operations/scheduled/list-held.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** Schema of a held message. */
export const heldSchema: WireSchema<ShownHeld> = schemaOf<ShownHeld>()(
  build.object(
    {
      id: build.string({ description: "Id of its submission; as a message it gets another one." }),
      type: build.enum(["Email", "SMS"]),
      accepted: build.string({ format: "date-time", description: "Instant of acceptance, UTC." }),
      visibleAt: build.string({
        format: "date-time",
        description: "Instant at which it becomes visible, UTC; at the latest when its links are scanned before.",
      }),
      scanAt: orNull(
        build.string({
          format: "date-time",
          description:
            "Earliest start of the scan of its links, after which it becomes visible, UTC; null without one.",
        }),
      ),
      from: build.string({ description: "Envelope sender, or number." }),
      to: build.array(build.string(), { maxItems: recipientCountMax, description: "Envelope recipients." }),
      recipients: build.integer({ description: "Number of all recipients." }),
      sizeBytes: build.integer({ description: "Size of the raw mail; 0 for SMS." }),
      provider: orNull(build.string({ description: "Name of the provider; null for SMTP." })),
      faults: build.array(build.string(), { description: "Names of the fault rules that applied to it." }),
      error: orNull(build.string(), {
        description:
          "Reason for which it does not become visible until it is retried by hand; null unless it is quarantined.",
      }),
    },
    { $id: "HeldMessage" },
  ),
);
