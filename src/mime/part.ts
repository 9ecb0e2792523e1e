/** Transfer encoding of a part (RFC 2045 §6); `identity` is 7bit, 8bit, binary and anything unknown. */
export type TransferEncoding = "identity" | "base64" | "quoted-printable" | "uuencode";

/** Entity of the part tree (RFC 2045 §2.4). Offsets are bytes into raw. */
export interface Part {
  /** `type/subtype` in lower case; `text/plain` if no valid type was declared (RFC 2045 §5.2). */
  readonly mediaType: string;
  /** Parameters of Content-Type: lower-case name → decoded value. */
  readonly parameters: ReadonlyMap<string, string>;
  /** As declared by Content-Type, else by the HTML itself; lower case. */
  readonly charset: string | null;
  /** Joining of lines in plain text (RFC 3676): none, at lines that end in a space, or the same without the space. */
  readonly flow: "fixed" | "flowed" | "flowed-delsp";
  readonly transferEncoding: TransferEncoding;
  /** Unknown dispositions are `attachment` (RFC 2183 §2.8). */
  readonly disposition: "attachment" | "inline" | null;
  /** Of the disposition, else of Content-Type; verbatim, so never use it as a path. */
  readonly fileName: string | null;
  /** Without angle brackets. */
  readonly contentId: string | null;
  /** `[headerStart, headerEnd)` is the header section without the empty line that ends it. */
  readonly headerStart: number;
  readonly headerEnd: number;
  /** `[bodyStart, bodyEnd)` is the body as written, without the line end that belongs to the next boundary. */
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** 0 for the root. */
  readonly depth: number;
  /** In MIME order; empty for everything except a parsed multipart. A message/rfc822 is not parsed. */
  readonly children: readonly Part[];
}

/** Position and encoding of a part's content, for decoding it without the tree. */
export type PartContent = Pick<Part, "bodyStart" | "bodyEnd" | "transferEncoding">;

/** Position and encodings of a part's text, for decoding it without the tree. */
export type PartText = PartContent & Pick<Part, "charset" | "flow">;

/** Part while the tree is being built. */
export type DraftPart = { -readonly [Key in Exclude<keyof Part, "children">]: Part[Key] } & { children: DraftPart[] };
