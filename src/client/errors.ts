/** Errors of the client. Their messages are complete sentences, meant for the output of a failed test. */
import type {
  DuplicateGroup,
  ErrorBody,
  JourneyFailure,
  JourneyResult,
  SearchExplanation,
  Summary,
} from "./generated/types.ts";

/** Base of all errors that the client throws, except for those of aborted signals. */
export class RestanteError extends Error {
  override readonly name: string = "RestanteError";
}

/** No response: the service cannot be reached, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends RestanteError {
  override readonly name = "ConnectionError";
}

/** No response within `requestTimeout`. */
export class RequestTimeoutError extends RestanteError {
  override readonly name = "RequestTimeoutError";
}

/** Error response of the service. */
export class ResponseError extends RestanteError {
  override readonly name: string = "ResponseError";
  /** HTTP status. */
  readonly status: number;
  /** Kind of error, such as `ValidationError`; see the reference of errors. */
  readonly type: string;
  /** Errors of fields of the request; empty unless the status is 400. */
  readonly fields: ErrorBody["errors"];
  /** Whole body of the response; null when it is not JSON. */
  readonly body: unknown;
  /** Id under which the service's log has the cause; null unless the status is 500, 503 or 507. */
  readonly requestId: string | null;
  /** Milliseconds after which a retry can succeed; null when the service names none. */
  readonly retryAfterMs: number | null;

  /** Use `errorOfResponse`. */
  constructor(
    message: string,
    parts: Pick<ResponseError, "status" | "type" | "fields" | "body" | "requestId" | "retryAfterMs">,
  ) {
    super(message);
    this.status = parts.status;
    this.type = parts.type;
    this.fields = parts.fields;
    this.body = parts.body;
    this.requestId = parts.requestId;
    this.retryAfterMs = parts.retryAfterMs;
  }
}

/** 400: parameters are wrong; `fields` names them. */
export class ValidationError extends ResponseError {
  override readonly name = "ValidationError";
}

/** 401: the key is missing or wrong. */
export class AuthenticationError extends ResponseError {
  override readonly name = "AuthenticationError";
}

/** 403: the key lacks permission, or the host or origin is rejected. */
export class PermissionError extends ResponseError {
  override readonly name = "PermissionError";
}

/** 404: the object does not exist, or the key has no access to it. */
export class NotFoundError extends ResponseError {
  override readonly name = "NotFoundError";
}

/** 409: the request conflicts with what is stored. */
export class ConflictError extends ResponseError {
  override readonly name = "ConflictError";
}

/** 429: too many requests, or a limit of the operator is reached. */
export class RateLimitError extends ResponseError {
  override readonly name = "RateLimitError";
}

/** 503: the service is temporarily unavailable. */
export class UnavailableError extends ResponseError {
  override readonly name = "UnavailableError";
}

/** Too few messages matched within the time of a wait. The message says which criteria the nearest messages fail. */
export class NoMatchError extends RestanteError {
  override readonly name = "NoMatchError";
  /** Messages that matched, if any. */
  readonly messages: readonly Summary[];
  /** Reason why no more messages matched; null when the service does not explain it. */
  readonly explanation: SearchExplanation | null;

  /** Is thrown by waits. */
  constructor(message: string, parts: Pick<NoMatchError, "messages" | "explanation">) {
    super(message);
    this.messages = parts.messages;
    this.explanation = parts.explanation;
  }
}

/** Messages matched that should not exist. */
export class UnexpectedMessageError extends RestanteError {
  override readonly name = "UnexpectedMessageError";
  /** Messages that matched. */
  readonly messages: readonly Summary[];

  /** Is thrown by `expectNone` and `expectExactly`. */
  constructor(message: string, messages: readonly Summary[]) {
    super(message);
    this.messages = messages;
  }
}

/** A journey is not complete. The message has the reason of each failed step. */
export class JourneyError extends RestanteError {
  override readonly name = "JourneyError";
  /** Steps that were not met. */
  readonly failures: readonly JourneyFailure[];
  /** Messages of each step, and the cursor. */
  readonly result: JourneyResult;

  /** Is thrown by `journey`. */
  constructor(message: string, result: JourneyResult) {
    super(message);
    this.failures = result.failures;
    this.result = result;
  }
}

/** Messages were sent more than once. */
export class DuplicatesError extends RestanteError {
  override readonly name = "DuplicatesError";
  /** Groups of messages that a person would call the same. */
  readonly groups: readonly DuplicateGroup[];

  /** Is thrown by `expectNoDuplicates`. */
  constructor(message: string, groups: readonly DuplicateGroup[]) {
    super(message);
    this.groups = groups;
  }
}

/** A message lacks the requested code, link or attachment. The error says what it has instead. */
export class ContentError extends RestanteError {
  override readonly name = "ContentError";
}

const classes: Readonly<Record<number, typeof ResponseError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
  503: UnavailableError,
};

/** Characters of a body that is not JSON, such as the page of a proxy, that an error shows. */
const excerptLengthMax = 200;

/** Returns the error for a response that is not a success. `call` is the method and path of the request. */
export async function errorOfResponse(response: Response, call: string): Promise<ResponseError> {
  const { status, headers } = response;
  // Without a body the status says enough.
  const text = await response.text().catch(() => "");
  const body = parse(text);
  const given = isErrorBody(body) ? body : null;
  const fields = given?.errors ?? [];
  const details = fields.flatMap(({ field, detail }) => detail.map(({ description }) => `${field}: ${description}`));
  const reason = given?.message ?? (text.slice(0, excerptLengthMax) || response.statusText);
  const requestId = headers.get("x-request-id");
  const message = [
    `${call} failed with ${String(status)}: ${reason}`,
    ...details.map((detail) => `\n- ${detail}`),
    ...(requestId === null ? [] : [`\nThe service's log has the cause under the request id ${requestId}.`]),
  ].join("");
  const kind = classes[status] ?? ResponseError;
  const type = given?.type ?? "Unknown";
  return new kind(message, { status, type, fields, body, requestId, retryAfterMs: retryAfterMs(headers) });
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not from the service: the text is shown.
    return null;
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "message") === "string" &&
    Array.isArray(Reflect.get(value, "errors"))
  );
}
