/** Schemas of requests that compose mail. */
import type { EmailFields } from "../../operations/messages/create-email.ts";
import type { ForwardFields } from "../../operations/messages/reply-to-message.ts";
import type { NewAttachment } from "../../operations/services/sending/new-attachments.ts";
import type { ReplyFields } from "../../operations/services/sending/compose-from-original.ts";
import type { BodyRule } from "../route.ts";
import { build, type OptionalProperty, schemaOf, type WireSchema } from "../../core/schema.ts";
import { emailAddress, enhancedStatus } from "./text-schemas.ts";
import type { AutoreplyFields, BounceFields, ComplaintFields } from "../../operations/messages/simulate-replies.ts";
import type { UnsubscribeRequest } from "../../operations/messages/unsubscribe-message.ts";

/** Request body that unsubscribes. */
export const unsubscribeRequestSchema: WireSchema<UnsubscribeRequest> = schemaOf<UnsubscribeRequest>()(
  build.object({
    requireDkim: build.optional(
      build.boolean({
        default: false,
        description: "Whether the request is only sent when a valid DKIM signature covers both header fields.",
      }),
    ),
  }),
);

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

const address = (description: string): OptionalProperty<string> => build.optional(emailAddress({ description }));
const text = build.optional(build.string({ description: "Plain text." }));
const html = build.optional(build.string({ description: "HTML, unchanged." }));

/** Schema of an attachment in a request. */
export const newAttachmentSchema: WireSchema<NewAttachment> = schemaOf<NewAttachment>()(
  build.object({
    fileName: build.optional(build.string()),
    contentType: build.optional(build.string()),
    content: build.optional(build.string({ format: "byte", contentEncoding: "base64", description: "Base64." })),
    contentId: build.optional(
      build.string({ description: "Content-ID by which the HTML refers to the file, as `cid:`." }),
    ),
  }),
);

const attachments = build.optional(build.array(newAttachmentSchema));

/** Request body that creates a mail. */
export const emailFieldsSchema: WireSchema<EmailFields> = schemaOf<EmailFields>()(
  build.object({
    to: address("One address; required where `send` is true."),
    cc: address("One address."),
    from: address("An address of the server; a generated one when absent."),
    subject: build.optional(build.string()),
    text,
    html,
    send: build.optional(build.boolean({ description: "Whether to send the mail." })),
    attachments,
  }),
);

/** Request body that forwards a mail. */
export const forwardFieldsSchema: WireSchema<ForwardFields> = schemaOf<ForwardFields>()(
  build.object({ to: address("One address; required."), cc: address("One address."), text, html }),
);

/** Request body that releases a mail. */
export const releaseRequestSchema: WireSchema<{ readonly to?: readonly string[] }> = schemaOf<{
  readonly to?: readonly string[];
}>()(
  build.object({
    to: build.optional(
      build.array(emailAddress(), { minItems: 1, maxItems: 20, description: "One to 20 plain addresses." }),
    ),
  }),
);

/** Request body that replies to a message. */
export const replyFieldsSchema: WireSchema<ReplyFields> = schemaOf<ReplyFields>()(
  build.object({ cc: address("One address."), text, html, attachments }),
);

/** Returns the largest body with content, in bytes. */
export const contentBodyBytesMax: BodyRule["bytesMax"] = (limits) => limits.contentBodyBytesMax;

/** Returns the value of a request's `Idempotency-Key`; null when it has none. */
export function repeatKeyOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null {
  const value = headers["idempotency-key"];
  return typeof value === "string" ? value : null;
}
