import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ResponseError,
  UnavailableError,
  ValidationError,
} from "./errors.ts";
import type { ErrorBody } from "./generated/types.ts";

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
