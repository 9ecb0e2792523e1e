/** Schemas of requests that compose mail. */
import type { EmailFields } from "../../operations/messages/create-email.ts";
import type { ForwardFields } from "../../operations/messages/reply-to-message.ts";
import type { NewAttachment, ReplyFields } from "../../operations/services/sending/new-mail.ts";
import type { BodyRule } from "../route.ts";
import { build, schemaOf, type WireSchema } from "../../core/schema.ts";
import { emailAddress, enhancedStatus } from "../../core/text-schemas.ts";
import type { AutoreplyFields, BounceFields, ComplaintFields } from "../../operations/messages/simulate-replies.ts";
import type { UnsubscribeRequest } from "../../operations/messages/unsubscribe-message.ts";

/** Request body that unsubscribes. */
export const unsubscribeRequestSchema: WireSchema<UnsubscribeRequest> = schemaOf<UnsubscribeRequest>()(
  build.partial({
    requireDkim: build.boolean({
      default: false,
      description: "Whether the request is only sent when a valid DKIM signature covers both header fields.",
    }),
  }),
);

/** Request body that creates a bounce. */
export const bounceFieldsSchema: WireSchema<BounceFields> = schemaOf<BounceFields>()(
  build.partial({
    action: build.enum(["failed", "delayed"]),
    status: enhancedStatus("Enhanced status code, such as 5.2.2 (RFC 3463)."),
    diagnostic: build.string({ maxLength: 500, description: "SMTP reply with the reason." }),
    returns: build.enum(["full", "headers"]),
  }),
);

/** Request body that creates a complaint. */
export const complaintFieldsSchema: WireSchema<ComplaintFields> = schemaOf<ComplaintFields>()(
  build.partial({
    feedbackType: build.enum(["abuse", "fraud", "virus", "not-spam", "other"]),
  }),
);

/** Request body that creates an automatic reply. */
export const autoreplyFieldsSchema: WireSchema<AutoreplyFields> = schemaOf<AutoreplyFields>()(
  build.partial({ text: build.string("Text of the reply.") }),
);

const text = build.string("Plain text.");
const html = build.string("HTML, unchanged.");

/** Schema of an attachment in a request. */
export const newAttachmentSchema: WireSchema<NewAttachment> = schemaOf<NewAttachment>()(
  build.partial({
    fileName: build.string(),
    contentType: build.string(),
    content: build.string({ format: "byte", contentEncoding: "base64", description: "Base64." }),
    contentId: build.string("Content-ID by which the HTML refers to the file, as `cid:`."),
  }),
);

const attachments = build.array(newAttachmentSchema);

/** Request body that creates a mail. */
export const emailFieldsSchema: WireSchema<EmailFields> = schemaOf<EmailFields>()(
  build.partial({
    to: emailAddress("One address; required where `send` is true."),
    cc: emailAddress("One address."),
    from: emailAddress("An address of the server; a generated one when absent."),
    subject: build.string(),
    text,
    html,
    send: build.boolean("Whether to send the mail."),
    attachments,
  }),
);

/** Request body that forwards a mail. */
export const forwardFieldsSchema: WireSchema<ForwardFields> = schemaOf<ForwardFields>()(
  build.partial({ to: emailAddress("One address; required."), cc: emailAddress("One address."), text, html }),
);

/** Request body that releases a mail. */
export const releaseRequestSchema = build.partial({
  to: build.array(emailAddress(), { minItems: 1, maxItems: 20, description: "One to 20 plain addresses." }),
});

/** Request body that replies to a message. */
export const replyFieldsSchema: WireSchema<ReplyFields> = schemaOf<ReplyFields>()(
  build.partial({ cc: emailAddress("One address."), text, html, attachments }),
);

/** Returns the largest body with content, in bytes. */
export const contentBodyBytesMax: BodyRule["bytesMax"] = (limits) => limits.contentBodyBytesMax;

/** Returns the value of a request's `Idempotency-Key`; null when it has none. */
export function repeatKeyOf(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string | null {
  const value = headers["idempotency-key"];
  return typeof value === "string" ? value : null;
}
