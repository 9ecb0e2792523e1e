/** Parts of a mail as IMAP shows them (RFC 9051 §7.5.2). Offsets are bytes into the raw mail. */

/** Mailbox, or start or end of a group (RFC 5322 §3.4); encoded words in names are not decoded. */
export type EnvelopeAddress =
  | {
      readonly kind: "mailbox";
      readonly name: string;
      /** Source route, as `@a.example,@b.example`; null for none. */
      readonly route: string | null;
      readonly localPart: string;
      readonly domain: string;
    }
  | { readonly kind: "groupStart"; readonly name: string }
  | { readonly kind: "groupEnd" };

/** Fields of a header section that the ENVELOPE of IMAP shows; null for absent ones. Encoded words are not decoded. */
export interface Envelope {
  readonly date: string | null;
  readonly subject: string | null;
  readonly from: readonly EnvelopeAddress[];
  /** From where there is no Sender field, or an empty one. */
  readonly sender: readonly EnvelopeAddress[];
  /** From where there is no Reply-To field, or an empty one. */
  readonly replyTo: readonly EnvelopeAddress[];
  readonly to: readonly EnvelopeAddress[];
  readonly cc: readonly EnvelopeAddress[];
  readonly bcc: readonly EnvelopeAddress[];
  readonly inReplyTo: string | null;
  readonly messageId: string | null;
}

/** Content-Disposition of a part (RFC 2183). */
export interface PartDisposition {
  /** As declared, in lower case. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Bytes `[start, end)` of a mail. */
export interface StructureRange {
  readonly start: number;
  readonly end: number;
}

/** Part of a mail; survives structured cloning. */
export interface StructurePart {
  /** Lower case. */
  readonly type: string;
  /** Lower case. */
  readonly subtype: string;
  /** Lower-case name → decoded value; continuations of RFC 2231 are joined. `charset` is `us-ascii` without Content-Type. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Content-ID as written; null if there is none. */
  readonly id: string | null;
  readonly description: string | null;
  /** Content-Transfer-Encoding in lower case; `7bit` if there is none. */
  readonly encoding: string;
  readonly md5: string | null;
  readonly disposition: PartDisposition | null;
  readonly languages: readonly string[];
  readonly location: string | null;
  /** Header section with the empty line that ends it. */
  readonly header: StructureRange;
  /** Body as written, without the line end that belongs to the next boundary. */
  readonly body: StructureRange;
  /** Lines of the body of a text or a message, with a last one that has no line end; 0 for other parts. */
  readonly lineCount: number;
  /** Parts of a multipart; empty for a multipart that was not parsed (too deep, too many parts). */
  readonly children: readonly StructurePart[];
  /** Mail in a message/rfc822 or message/global; null if it is encoded or was not parsed. */
  readonly message: MessageStructure | null;
}

/** Mail, or a mail in a part. */
export interface MessageStructure {
  readonly root: StructurePart;
  readonly envelope: Envelope;
}
