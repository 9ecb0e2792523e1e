/** What callers say of the answers that the world would give. */
import type { AutoreplyFields, BounceFields, ComplaintFields } from "../../operations/answer-as-world.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** Body that makes a bounce. */
export const bounceFieldsSchema: WireSchema<BounceFields> = schemaOf<BounceFields>()(
  build.object({
    action: build.optional(build.enum(["failed", "delayed"])),
    status: build.optional(build.string({ description: "Enhanced status, such as 5.2.2." })),
    diagnostic: build.optional(build.string({ description: "The SMTP reply that says why." })),
    returns: build.optional(build.enum(["full", "headers"])),
  }),
);

/** Body that makes a complaint. */
export const complaintFieldsSchema: WireSchema<ComplaintFields> = schemaOf<ComplaintFields>()(
  build.object({
    feedbackType: build.optional(build.enum(["abuse", "fraud", "virus", "not-spam", "other"])),
  }),
);

/** Body that makes an out-of-office answer. */
export const autoreplyFieldsSchema: WireSchema<AutoreplyFields> = schemaOf<AutoreplyFields>()(
  build.object({ text: build.optional(build.string({ description: "What it says." })) }),
);
