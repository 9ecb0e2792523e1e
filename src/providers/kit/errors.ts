/** Error responses of a provider's API, from its rows and its shape of an error. */
import { STATUS_CODES } from "node:http";
import type { FaultError } from "../../core/fault.ts";
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { failureText, type ErrorContext, type FaultContext, type Provider } from "../provider.ts";
import type { ProviderFault, ProviderResponse } from "../provider.ts";

/** Error responses of a provider. */
export type ErrorResponses = Pick<Provider, "errorResponse" | "faultResponse">;

/** Errors of a provider's API; `Failure` is its form of an error. */
export interface ErrorRules<Failure> {
  /** Returns an error as a response. */
  readonly shape: (failure: Failure, request: ErrorContext) => ProviderResponse;
  /** Errors for problems of the service; for others, `rateLimited` of {@link faults} or {@link ofStatus} has the error. */
  readonly problems?: Partial<Readonly<Record<ProblemCode, Failure>>>;
  /** Returns the error for a problem of the service, also for its failures (5xx); undefined: that of {@link problems}. */
  readonly ofProblem?: (problem: Problem, request: ErrorContext) => Failure | undefined;
  /** Text of failures of the service; the standard reason by default. */
  readonly failure?: string;
  /** Errors that fault rules cause; for absent ones, {@link ofStatus} has the error. */
  readonly faults: Partial<Readonly<Record<FaultError, Failure>>>;
  /** Returns the error that a fault rule causes by a status, with its standard reason. */
  readonly ofStatus: (status: number, reason: string) => Failure;
  /** Returns the HTTP status of an error whose row in {@link faults} is also that of its status; absent: no row is. */
  readonly statusOf?: (failure: Failure) => number;
  /** Returns the header fields of rate limits for a 429 that a fault rule causes. */
  readonly limitHeaders?: (request: FaultContext) => Readonly<Record<string, string>>;
}

/** Seconds after which a rejected sender may try again, in the header fields of rate limits. */
export const retryAfterSeconds = 1;

/** Usual statuses of the errors that fault rules cause. */
const faultStatuses: Readonly<Record<FaultError, number>> = {
  rateLimited: 429,
  unavailable: 503,
  internal: 500,
  unauthorized: 401,
  invalidRecipient: 400,
  tooLarge: 413,
  timeout: 504,
};

/** Returns the error responses of a provider by its rules. */
export function errorResponses<Failure>(rules: ErrorRules<Failure>): ErrorResponses {
  const { shape, problems = {}, ofProblem, failure, faults, ofStatus, statusOf, limitHeaders } = rules;
  const usual = (problem: Problem): Failure => {
    const { code, message, row } = problem;
    const known = problems[code] ?? (row.status === 429 ? faults.rateLimited : undefined);
    const text = row.status < 500 ? message : failureText(problem, failure ?? reasonOf(row.status));
    return known ?? ofStatus(row.status, text);
  };
  const failureOf = (fault: ProviderFault): Failure => {
    const status = typeof fault === "string" ? faultStatuses[fault] : fault.status;
    const known =
      typeof fault === "string" ? faults[fault] : Object.values(faults).find((one) => statusOf?.(one) === status);
    return known ?? ofStatus(status, reasonOf(status));
  };
  return {
    errorResponse: (problem, request) => shape(ofProblem?.(problem, request) ?? usual(problem), request),
    faultResponse: (fault, request) => {
      const response = shape(failureOf(fault), request);
      if (response.status !== 429 || limitHeaders === undefined) return response;
      return { ...response, headers: { ...response.headers, ...limitHeaders(request) } };
    },
  };
}

/** Returns the standard reason phrase of an HTTP status; that of its class for unknown ones. */
export function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? (status < 500 ? "Bad Request" : "Internal Server Error");
}
