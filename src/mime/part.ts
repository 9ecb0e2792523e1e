/** How a part's bytes are written in the mail (RFC 2045 §6); `identity` is 7bit, 8bit, binary and anything unknown. */
export type TransferEncoding = "identity" | "base64" | "quoted-printable" | "uuencode";

/** One entity of the part tree (RFC 2045 §2.4). Offsets are bytes into raw. */
export interface Part {
  /** `type/subtype` in lower case; `text/plain` where nothing usable was declared (RFC 2045 §5.2). */
  readonly mediaType: string;
  /** Parameters of Content-Type: lower-case name → decoded value. */
  readonly parameters: ReadonlyMap<string, string>;
  /** As declared by Content-Type, else by the HTML itself; lower case. */
  readonly charset: string | null;
  /** How lines of plain text are to be joined (RFC 3676): not, where a space ends a line, or there without the space. */
  readonly flow: "fixed" | "flowed" | "flowed-delsp";
  readonly transferEncoding: TransferEncoding;
  /** Unknown dispositions are `attachment` (RFC 2183 §2.8). */
  readonly disposition: "attachment" | "inline" | null;
  /** Of the disposition, else of Content-Type; verbatim, so never a path for us. */
  readonly fileName: string | null;
  /** Without angle brackets. */
  readonly contentId: string | null;
  /** `[headerStart, headerEnd)` is the header section without the empty line that ends it. */
  readonly headerStart: number;
  readonly headerEnd: number;
  /** `[bodyStart, bodyEnd)` is the body as written, without the line end that belongs to the next boundary. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** 0 for the mail itself. */
  readonly depth: number;
  /** In MIME order; empty for everything but an opened multipart. A message/rfc822 is never opened. */
  readonly children: readonly Part[];
}

/** All that is needed to read a part's content later, without the tree. */
export type PartContent = Pick<Part, "bodyStart" | "bodyEnd" | "transferEncoding">;

/** All that is needed to read a part's text later, without the tree. */
export type PartText = PartContent & Pick<Part, "charset" | "flow">;

/** A part while the tree is being read. */
export type DraftPart = { -readonly [Key in Exclude<keyof Part, "children">]: Part[Key] } & { children: DraftPart[] };
