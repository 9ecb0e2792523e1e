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

/**
 * Errors of received mail that were tolerated. The names are part of the API and are never renamed. Each occurs at most
 * once per mail, in the order of detection.
 */
export type Defect =
  /** Lines end in CR alone; they were treated as line ends (RFC 5322 §2.3 forbids it). */
  | "bare_cr_line_ends"
  /** The first line of the header section ends in LF alone. */
  | "bare_lf_line_ends"
  /** An mbox separator (`From …`, `>From …`) before the first field was skipped. */
  | "mbox_from_line"
  /** A byte order mark before the first field was skipped. */
  | "byte_order_mark"
  /** A line of the header section that is neither a field nor a continuation was skipped. */
  | "header_line_without_colon"
  /** No empty line ends the header section; the body starts at the first line that cannot be a field, or at a boundary. */
  | "missing_header_end"
  /** A header section exceeds `headerBytesMax`; the fields after it were not parsed. */
  | "header_too_large"
  /** A header section exceeds `headerCountMax`; the fields after it were not parsed. */
  | "too_many_header_fields"
  /** A structured field exceeds `structuredFieldBytesMax`; the rest of it was not parsed. */
  | "structured_field_too_long"
  /** A field that RFC 5322 §3.6 allows once is repeated; the first is used, address fields are joined. */
  | "repeated_header_field"
  | "missing_from"
  /** The From field names no address, as `From: root`; its words are the names of its contacts. */
  | "from_without_address"
  | "missing_date"
  /** The Date field does not match RFC 5322 §3.3 or §4.3. */
  | "unreadable_date"
  /** An address field has more than `contactCountMax` contacts; the rest was not parsed. */
  | "too_many_contacts"
  /** A Content-Type is not `type/subtype`. */
  | "invalid_content_type"
  /** A multipart has no boundary parameter; it was treated as text. */
  | "missing_boundary"
  /** No line of a multipart is its boundary; it was treated as text. */
  | "boundary_not_found"
  /** A multipart ends without its closing boundary. */
  | "missing_closing_boundary"
  /** Parts follow the closing boundary of their multipart; they were parsed. */
  | "part_after_closing_boundary"
  /** A multipart has a content transfer encoding, which RFC 2045 §6.4 forbids; it was ignored. */
  | "encoded_multipart"
  /** The content transfer encoding is unknown; the bytes were left as they are. */
  | "unknown_transfer_encoding"
  /** The charset of a text part, an encoded word or a parameter is unknown; it was decoded as if it had none. */
  | "unknown_charset"
  /** A body exceeds `analysedLengthMax`; the rest was neither analysed nor made searchable. */
  | "analysis_truncated"
  /** Parts after `partCountMax` were not parsed; they are one attachment. */
  | "too_many_parts"
  /** A multipart nested deeper than `partDepthMax` was not parsed; it is an attachment. */
  | "too_deep";
