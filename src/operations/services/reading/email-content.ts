import type { Contact, HeaderField } from "../../../core/message.ts";
import type { PartContent } from "../../../mime/part.ts";
import type { BodyPlaces, EmailBodies } from "./email-bodies.ts";

/** Attachment of a parsed mail, without an id. */
export interface AttachmentDescription {
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId: string | null;
  /** Size in decoded bytes. */
  readonly length: number;
  /** Whether it is shown within the text: its disposition says so, or it has a Content-ID and no disposition. */
  readonly isInline: boolean;
  /** Position and transfer encoding in the raw mail. */
  readonly content: PartContent;
}

/** Parsed content of a received mail; survives structured cloning. */
export interface EmailContent extends BodyPlaces {
  readonly headers: readonly HeaderField[];
  readonly subject: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  /**
   * Bodies of a mail that is not cheap to parse (see `reading-cost.ts`), without large texts; null when they are analysed on
   * reading the message.
   */
  readonly bodies: EmailBodies | null;
  /** Distinct one-time codes of both bodies, HTML before text. */
  readonly codes: readonly string[];
  readonly attachments: readonly AttachmentDescription[];
  /** The first ~200 characters of visible text. */
  readonly summary: string;
  /** Texts of the `SearchBody`: text part, HTML source and visible text of the HTML, folded; without empty ones. */
  readonly searchBody: readonly string[];
  readonly defects: readonly string[];
}

/**
 * Parses a mail; never rejects because of its content. Rejects with `unavailable` when too many wait. Mails that are not
 * cheap are parsed round-robin between keys (servers).
 */
export type EmailReader = (raw: Uint8Array, key?: string) => EmailContent | Promise<EmailContent>;
