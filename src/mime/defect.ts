/**
 * Faults of received mail that were tolerated. The names are stable: users see them, so one is never renamed. Each
 * appears at most once a mail, in the order of finding.
 */
export type Defect =
  /** Lines end in CR alone; they were taken as lines (RFC 5322 §2.3 forbids it). */
  | "bare_cr_line_ends"
  /** The header section's first line ends in LF alone. */
  | "bare_lf_line_ends"
  /** An mbox separator (`From …`, `>From …`) stood before the first field; it was skipped. */
  | "mbox_from_line"
  /** A line of the header section is neither a field nor a continuation; it was skipped. */
  | "header_line_without_colon"
  /** No empty line ends the header section; the body begins at the first line that cannot be a field. */
  | "missing_header_end"
  /** A header section passes `headerBytesMax`; the fields behind were not read. */
  | "header_too_large"
  /** A header section passes `headerCountMax`; the fields behind were not read. */
  | "too_many_header_fields"
  /** A structured field passes `structuredFieldBytesMax`; what lies behind was not interpreted. */
  | "structured_field_too_long"
  /** A field that RFC 5322 §3.6 allows once is repeated; the first one counts, address fields are joined. */
  | "repeated_header_field"
  | "missing_from"
  | "missing_date"
  /** The Date field cannot be read as RFC 5322 §3.3 or §4.3. */
  | "unreadable_date"
  /** An address field names more than `contactCountMax` contacts; the rest was not read. */
  | "too_many_contacts"
  /** A Content-Type is not `type/subtype`. */
  | "invalid_content_type"
  /** A multipart names no boundary; it was read as text. */
  | "missing_boundary"
  /** No line of a multipart is its boundary; it was read as text. */
  | "boundary_not_found"
  /** A multipart ends without its closing boundary. */
  | "missing_closing_boundary"
  /** A multipart claims a content transfer encoding, which RFC 2045 §6.4 forbids; the claim was ignored. */
  | "encoded_multipart"
  /** A content transfer encoding that is not known; the bytes were taken as they are. */
  | "unknown_transfer_encoding"
  /** A body passes `analysedLengthMax`; what lies behind was neither analysed nor made searchable. */
  | "analysis_truncated"
  /** Parts behind `partCountMax` were not read. */
  | "too_many_parts"
  /** A multipart below `partDepthMax` was not opened; it is an attachment. */
  | "too_deep";
