/** What callers say of the answers that the world would give. */
import type { AutoreplyFields, BounceFields, ComplaintFields } from "../../operations/answer-as-world.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";

/** Body that makes a bounce. */
export const bounceFieldsSchema: WireSchema<BounceFields> = schemaOf<BounceFields>()(
  build.Object({
    action: build.Optional(build.Enum(["failed", "delayed"])),
    status: build.Optional(build.String({ description: "Enhanced status, such as 5.2.2." })),
    diagnostic: build.Optional(build.String({ description: "The SMTP reply that says why." })),
    returns: build.Optional(build.Enum(["full", "headers"])),
  }),
);

/** Body that makes a complaint. */
export const complaintFieldsSchema: WireSchema<ComplaintFields> = schemaOf<ComplaintFields>()(
  build.Object({
    feedbackType: build.Optional(build.Enum(["abuse", "fraud", "virus", "not-spam", "other"])),
  }),
);

/** Body that makes an out-of-office answer. */
export const autoreplyFieldsSchema: WireSchema<AutoreplyFields> = schemaOf<AutoreplyFields>()(
  build.Object({ text: build.Optional(build.String({ description: "What it says." })) }),
);
