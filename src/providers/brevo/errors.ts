/**
 * Errors of Brevo's API: https://developers.brevo.com/docs/error-codes. Texts about single fields are
 * taken from reports of users of its libraries.
 */
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { jsonResponse, type ErrorContext, type ProviderResponse } from "../provider.ts";

/** Error codes that the service responds with. */
export type BrevoErrorCode =
  | "bad_request"
  | "document_not_found"
  | "duplicate_parameter"
  | "invalid_parameter"
  | "method_not_allowed"
  | "missing_parameter"
  | "not_acceptable"
  | "out_of_range"
  | "permission_denied"
  | "too_many_requests"
  | "unauthorized";

const statuses: Readonly<Record<BrevoErrorCode, number>> = {
  bad_request: 400,
  document_not_found: 404,
  duplicate_parameter: 400,
  invalid_parameter: 400,
  method_not_allowed: 405,
  missing_parameter: 400,
  not_acceptable: 406,
  out_of_range: 400,
  permission_denied: 403,
  too_many_requests: 429,
  unauthorized: 401,
};

/** Error that a request is answered with; functions that read requests throw it. */
export class BrevoRejection extends Error {
  override readonly name = "BrevoRejection";
  readonly code: BrevoErrorCode;

  constructor(code: BrevoErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the error of a field without a value. */
export function missing(field: string): BrevoRejection {
  return new BrevoRejection("missing_parameter", `${field} is missing`);
}

/** Returns the error of a field with a wrong value. */
export function invalid(message: string): BrevoRejection {
  return new BrevoRejection("invalid_parameter", message);
}

/** Returns the response of an endpoint, or the error of a {@link BrevoRejection} that it threw. */
export async function answered(respond: () => Promise<ProviderResponse>): Promise<ProviderResponse> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof BrevoRejection) return errorResponse(statuses[error.code], error.code, error.message);
    throw error;
  }
}

function errorResponse(status: number, code: string, message: string): ProviderResponse {
  return jsonResponse(status, { code, message });
}

const byProblem: Partial<Record<ProblemCode, readonly [BrevoErrorCode, string]>> = {
  forbidden: ["permission_denied", "Permission denied"],
  not_found: ["document_not_found", "Document not found"],
  method_not_allowed: ["method_not_allowed", "Method Not Allowed"],
  conflict: ["duplicate_parameter", "Duplicate parameter"],
};

/** Returns Brevo's error for a problem of the service. */
export function brevoErrorResponse({ code, row, message }: Problem, { headers }: ErrorContext): ProviderResponse {
  if (code === "unauthenticated") {
    const text = headers["api-key"] === undefined ? "authentication not found in headers" : "Key not found";
    return errorResponse(401, "unauthorized", text);
  }
  const [name, text] = byProblem[code] ?? [];
  if (name !== undefined) return errorResponse(statuses[name], name, text ?? "");
  if (row.status === 429) return errorResponse(429, "too_many_requests", message);
  if (row.status >= 500) return errorResponse(row.status, "internal_error", message);
  // Statuses that Brevo's table does not list, such as 413 and 415, keep their status.
  return errorResponse(row.status, "bad_request", message);
}
