/** Errors of Vonage Verify v2: problem details (RFC 9457). */
import { randomUUID } from "node:crypto";
import type { Problem } from "../../core/errors.ts";
import type { ProviderResponse } from "../provider.ts";

/** Names of the errors. */
export type VerifyErrorName =
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "invalid-params"
  | "throttled"
  | "conflict"
  | "invalid-code"
  | "expired"
  | "no-events";

interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly type: string;
  readonly detail: string;
}

const general = "https://developer.vonage.com/api-errors";
const rows: Readonly<Record<VerifyErrorName, ErrorRow>> = {
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    type: `${general}#unauthorized`,
    detail: "You did not provide correct credentials.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    type: `${general}#forbidden`,
    detail: "Your account does not have permission to perform this action.",
  },
  "not-found": {
    status: 404,
    title: "Not Found",
    type: `${general}#not-found`,
    detail: "Request '%' was not found or it has been verified already.",
  },
  "invalid-params": {
    status: 422,
    title: "Invalid params",
    type: `${general}#invalid-params`,
    detail: "The value of one or more parameters is invalid",
  },
  throttled: {
    status: 429,
    title: "Rate Limit Hit",
    type: `${general}#throttled`,
    detail: "Please wait, then retry your request",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    type: "https://www.developer.vonage.com/api-errors/verify#conflict",
    detail: "Concurrent verifications to the same number are not allowed.",
  },
  "invalid-code": {
    status: 400,
    title: "Invalid Code",
    type: `${general}/verify#invalid-code`,
    detail: "The code you provided does not match the expected value.",
  },
  expired: {
    status: 410,
    title: "Invalid Code",
    type: `${general}/verify#expired`,
    detail: "An incorrect code has been provided too many times. Workflow terminated.",
  },
  "no-events": {
    status: 409,
    title: "Conflict",
    type: `${general}/verify#no-events`,
    detail: "There are no more events left to trigger.",
  },
};
const quotedLengthMax = 100;

/** Error with its variable parts. */
export interface VerifyError {
  readonly name: VerifyErrorName;
  /** Id that the detail of `not-found` shows. */
  readonly id?: string;
  /** Detail that replaces that of the table. */
  readonly detail?: string;
  /** Rejected parameter. */
  readonly parameter?: { readonly name: string; readonly reason: string };
  /** Request that is in progress, of `conflict`. */
  readonly requestId?: string;
}

/** Returns an error as a response. */
export function verifyErrorResponse({ name, id = "", detail, parameter, requestId }: VerifyError): ProviderResponse {
  const { status, title, type, detail: text } = rows[name];
  const body = {
    title,
    type,
    detail: detail ?? text.replace("%", () => id.slice(0, quotedLengthMax)),
    instance: randomUUID(),
    ...(parameter !== undefined && { invalid_parameters: [parameter] }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
  return { status, body: { contentType: "application/problem+json; charset=utf-8", text: JSON.stringify(body) } };
}

/** Returns a problem that the table does not have as a response. */
export function plainProblem(status: number, title: string): ProviderResponse {
  const body = { title, type: general, detail: title, instance: randomUUID() };
  return { status, body: { contentType: "application/problem+json; charset=utf-8", text: JSON.stringify(body) } };
}

/** Returns the error of Vonage Verify for a problem of the service. */
export function verifyErrorOf({ code, row, message }: Problem, path: string): VerifyError {
  if (code === "unauthenticated") return { name: "unauthorized" };
  if (code === "forbidden") return { name: "forbidden" };
  if (row.status === 429) return { name: "throttled" };
  if (row.status === 404 || row.status === 405) return { name: "not-found", id: path.split("/")[3] ?? "" };
  return { name: "invalid-params", parameter: { name: "body", reason: message } };
}
