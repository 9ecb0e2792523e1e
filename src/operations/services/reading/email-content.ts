import type { Contact, HeaderField } from "../../../core/message.ts";
import type { PartContent } from "../../../mime/part.ts";
import type { BodyPlaces, EmailBodies } from "./email-bodies.ts";

/** An attachment as the mail describes it, before it has an id. */
export interface AttachmentDescription {
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId: string | null;
  /** Decoded bytes. */
  readonly length: number;
  /** Where its bytes lie in the raw mail, and how they are written. */
  readonly content: PartContent;
}

/** What the service reads out of a mail's bytes when it arrives. Survives structured cloning. */
export interface EmailContent extends BodyPlaces {
  readonly headers: readonly HeaderField[];
  readonly subject: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  /**
   * Of a mail that is not cheap to read (see `reading-cost.ts`), without their texts where these are large; null where they
   * are analysed when the mail is shown.
   */
  readonly bodies: EmailBodies | null;
  readonly attachments: readonly AttachmentDescription[];
  /** The first ~200 characters of visible text. */
  readonly summary: string;
  /** Text part, HTML source and visible text of the HTML, folded and joined by line feeds. */
  readonly searchBody: string;
  readonly defects: readonly string[];
}

/**
 * Reads a mail; never rejects because of what the mail says. Rejects with `unavailable` when too many wait. Mails of
 * different keys (servers) are read round-robin where they are not cheap.
 */
export type EmailReader = (raw: Uint8Array, key?: string) => EmailContent | Promise<EmailContent>;
