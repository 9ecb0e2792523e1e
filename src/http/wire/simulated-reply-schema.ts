/** Schemas of requests for simulated bounces, complaints and automatic replies. */
import type { AutoreplyFields, BounceFields, ComplaintFields } from "../../operations/messages/simulate-replies.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";
import { enhancedStatus } from "./text-schemas.ts";

/** Request body that creates a bounce. */
export const bounceFieldsSchema: WireSchema<BounceFields> = schemaOf<BounceFields>()(
  build.object({
    action: build.optional(build.enum(["failed", "delayed"])),
    status: build.optional(enhancedStatus({ description: "Enhanced status code, such as 5.2.2 (RFC 3463)." })),
    diagnostic: build.optional(build.string({ maxLength: 500, description: "SMTP reply with the reason." })),
    returns: build.optional(build.enum(["full", "headers"])),
  }),
);

/** Request body that creates a complaint. */
export const complaintFieldsSchema: WireSchema<ComplaintFields> = schemaOf<ComplaintFields>()(
  build.object({
    feedbackType: build.optional(build.enum(["abuse", "fraud", "virus", "not-spam", "other"])),
  }),
);

/** Request body that creates an automatic reply. */
export const autoreplyFieldsSchema: WireSchema<AutoreplyFields> = schemaOf<AutoreplyFields>()(
  build.object({ text: build.optional(build.string({ description: "Text of the reply." })) }),
);
