/** Catalogue of the errors that callers can receive: one row per problem, for HTTP and SMTP. */

/** SMTP reply: code (RFC 5321 §4.2) and enhanced status (RFC 3463). */
export interface SmtpReplyCode {
  readonly code: number;
  readonly enhancedStatus: string;
}

/** Row of the catalogue: wire `type`, HTTP status, SMTP reply where the problem can occur there, and public text. */
export interface ProblemRow {
  readonly type: string;
  readonly status: number;
  readonly smtp: SmtpReplyCode | null;
  readonly text: string;
}

const smtp = (code: number, enhancedStatus: string): SmtpReplyCode => ({ code, enhancedStatus });

/** Stable snake_case names of all problems. */
export type ProblemCode =
  | "invalid_request"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "gone"
  | "request_timeout"
  | "body_too_large"
  | "headers_too_large"
  | "unsupported_media_type"
  | "range_not_satisfiable"
  | "expectation_failed"
  | "too_many_requests"
  | "limit_reached"
  | "internal"
  | "data_damaged"
  | "unavailable"
  | "storage_full"
  | "quota_exceeded"
  | "message_too_large"
  | "recipient_unknown";

/** Code → row. */
export const catalogue: Readonly<Record<ProblemCode, ProblemRow>> = {
  invalid_request: { type: "ValidationError", status: 400, smtp: null, text: "The request has invalid parameters" },
  unauthenticated: {
    type: "Unauthenticated",
    status: 401,
    smtp: smtp(535, "5.7.8"),
    text: "Authentication credentials are missing or wrong",
  },
  forbidden: {
    type: "Forbidden",
    status: 403,
    smtp: null,
    text: "This key lacks permission: an account key is required",
  },
  not_found: { type: "NotFound", status: 404, smtp: null, text: "Not found" },
  method_not_allowed: { type: "MethodNotAllowed", status: 405, smtp: null, text: "Method not allowed" },
  conflict: { type: "Conflict", status: 409, smtp: null, text: "This already exists" },
  gone: { type: "Gone", status: 410, smtp: null, text: "This endpoint was withdrawn on 2022-05-11" },
  request_timeout: { type: "RequestTimeout", status: 408, smtp: null, text: "The request took too long to arrive" },
  body_too_large: {
    type: "PayloadTooLarge",
    status: 413,
    smtp: null,
    text: "The body exceeds the limit of this endpoint",
  },
  headers_too_large: {
    type: "RequestHeaderFieldsTooLarge",
    status: 431,
    smtp: null,
    text: "The header section of the request exceeds the limit",
  },
  unsupported_media_type: {
    type: "UnsupportedMediaType",
    status: 415,
    smtp: null,
    text: "The body must be application/json",
  },
  range_not_satisfiable: {
    type: "RangeNotSatisfiable",
    status: 416,
    smtp: null,
    text: "The range is outside the content",
  },
  expectation_failed: {
    type: "ExpectationFailed",
    status: 417,
    smtp: null,
    text: "The only expectation supported is 100-continue",
  },
  too_many_requests: {
    type: "TooManyRequests",
    status: 429,
    smtp: smtp(421, "4.7.0"),
    text: "Too many requests; retry later",
  },
  limit_reached: {
    type: "LimitReached",
    status: 429,
    smtp: smtp(452, "4.2.2"),
    text: "A limit set by the operator is reached",
  },
  internal: {
    type: "InternalError",
    status: 500,
    smtp: smtp(451, "4.3.0"),
    text: "Internal server error; nothing was stored",
  },
  data_damaged: {
    type: "InternalError",
    status: 500,
    smtp: smtp(451, "4.3.0"),
    text: "The stored data is damaged and cannot be read; run `restante check` to find and repair damage",
  },
  unavailable: {
    type: "Unavailable",
    status: 503,
    smtp: smtp(451, "4.3.2"),
    text: "The service is temporarily unavailable; retry later",
  },
  storage_full: {
    type: "InsufficientStorage",
    status: 507,
    smtp: smtp(452, "4.3.1"),
    text: "The disk is full; nothing was stored",
  },
  quota_exceeded: {
    type: "QuotaExceeded",
    status: 507,
    smtp: smtp(452, "4.2.2"),
    text: "The recipient's mailbox is over quota",
  },
  message_too_large: {
    type: "PayloadTooLarge",
    status: 413,
    smtp: smtp(552, "5.3.4"),
    text: "The message exceeds the size limit",
  },
  recipient_unknown: {
    type: "NotFound",
    status: 404,
    smtp: smtp(550, "5.1.1"),
    text: "No server accepts messages for this recipient",
  },
};

/** Error of one field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly description: string;
  readonly code: FieldCode;
}

/** Error that is reported to the caller; any other exception is answered as `internal`. */
export class Problem extends Error {
  override readonly name: string = "Problem";
  readonly code: ProblemCode;
  readonly fields: readonly FieldProblem[];
  /** Seconds after which a retry may succeed; null when waiting does not help. */
  readonly retryAfterSeconds: number | null;
  /** Limit that is reached, as metrics name it; null for other problems. */
  readonly limit: ReachedLimit | null;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.text ?? catalogue[code].text, { cause: details.cause });
    this.code = code;
    this.fields = details.fields ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.limit = details.limit ?? null;
  }

  /** The catalogue's row. */
  get row(): ProblemRow {
    return catalogue[this.code];
  }
}

/** Details that a {@link Problem} adds to its row. `text` replaces the row's text and is public. */
export interface ProblemDetails {
  readonly text?: string;
  readonly fields?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
  readonly limit?: ReachedLimit | null;
  readonly cause?: unknown;
}

/**
 * Limit on messages or deliveries: `server` is the storage of a server or its team, `email` and `sms` are daily, and `outbound` is
 * hourly. Those with `team_` belong to a team, the others to the account.
 */
export type ReachedLimit = "server" | "email" | "sms" | "outbound" | "team_email" | "team_sms" | "team_outbound";

/** Returns a 400 that names one field. */
export function invalidField(field: string, description: string, code: FieldCode = "invalid"): Problem {
  return new Problem("invalid_request", { fields: [{ field, description, code }] });
}

/** Kind of object that a request names. */
export type NotFoundKind =
  | "Attachment"
  | "Delivery"
  | "Device"
  | "DNS zone"
  | "Event webhook"
  | "Inbound route"
  | "Key"
  | "Message"
  | "Path"
  | "Phone number"
  | "Preview"
  | "Saved search"
  | "Scan"
  | "Scanner"
  | "Server"
  | "Subscription"
  | "Team"
  | "Transcript"
  | "User"
  | "Verified address"
  | "Webhook";

/**
 * Returns a 404 that names the kind of object. The text is the same for objects that do not exist and for objects that
 * the caller may not access.
 */
export function notFound(kind: NotFoundKind): Problem {
  return new Problem("not_found", { text: `${kind} not found` });
}

/** Meaning of every stable code of a field error, as the reference page shows it. */
export const fieldCodes = {
  required: "absent, null or empty, and needed",
  invalid_type: "of another JSON type, or none of the known values",
  invalid_json: "the body is not JSON in UTF-8",
  invalid_date: "not a date-time, not in the calendar, or outside the allowed period",
  invalid_address: "not one plain e-mail address",
  invalid_base64: "the content is not base64 with its padding",
  invalid_base32: "the shared secret is not base32",
  invalid_uri: "the shared secret is neither base32 nor an `otpauth://totp/` URI",
  invalid_algorithm: "the shared secret names an unknown algorithm",
  invalid_digits: "the shared secret has too few or too many digits",
  invalid_period: "the shared secret has a period outside the bounds",
  invalid_status: "the enhanced status code does not fit the action",
  invalid_zone: "the zone file cannot be parsed; the description names the line",
  out_of_range: "not a whole number, or one outside the bounds",
  too_long: "more characters than allowed",
  too_many: "more items than allowed",
  unknown: "not one of the known names; the description lists them",
  unknown_parameter: "the endpoint has no such query parameter; the description names the most similar one",
  not_allowed: "the operator has not allowed it; the description names the setting",
  not_verified: "neither the address nor its domain is verified",
  no_relay: "mail cannot be sent because `RESTANTE_RELAY_URL` is not set",
  foreign_domain: "the sender is not an address of the server",
  not_email: "the message is not an e-mail",
  not_for_sms: "an SMS reply may contain `text` only",
  not_approved: "the text is not an approved phrase",
  no_webhook: "the phone number has neither a webhook nor a provider account for replies",
  no_return_path: "the mail has a null reverse-path, so it cannot be replied to",
  no_browser: "previews require a browser, which is missing",
  wrong_token: "not the token of the verification mail",
  invalid: "any other error; see the description",
} as const;

/** Stable snake_case code of a field error. */
export type FieldCode = keyof typeof fieldCodes;
