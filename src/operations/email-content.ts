import type { Contact, HeaderField, HtmlContent, TextContent } from "../core/message.ts";
import type { PartContent, PartText } from "../mime/part.ts";

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

/** Everything the service reads out of a mail's bytes, once. Survives structured cloning. */
export interface EmailContent {
  readonly headers: readonly HeaderField[];
  readonly subject: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly cc: readonly Contact[];
  readonly bcc: readonly Contact[];
  readonly html: HtmlContent;
  readonly text: TextContent;
  /** Where the bodies lie in the raw mail. */
  readonly htmlParts: readonly PartText[];
  readonly textParts: readonly PartText[];
  readonly attachments: readonly AttachmentDescription[];
  /** The first ~200 characters of visible text. */
  readonly summary: string;
  /** Text part, HTML source and visible text of the HTML, folded and joined by line feeds. */
  readonly searchBody: string;
  readonly defects: readonly string[];
}

/** Reads a mail; never rejects because of what the mail says. Big mails are read off the thread that holds sockets. */
export type EmailReader = (raw: Uint8Array) => EmailContent | Promise<EmailContent>;
