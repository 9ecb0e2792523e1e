/** Errors of AWS APIs: in the Query protocol as XML with a code, in REST APIs as JSON with the code in `x-amzn-errortype`. */
import { randomUUID } from "node:crypto";
import type { Problem } from "../../core/errors.ts";
import { errorResponses, type ErrorResponses } from "../kit/errors.ts";
import { Rejection } from "../kit/rejection.ts";
import { failureText, type ErrorContext, type ProviderResponse } from "../provider.ts";
import { readAccessKey } from "./aws-access-key.ts";
import { MemberError } from "./aws-members.ts";
import { queryErrorResponse, type XmlObject } from "./aws-xml.ts";

/** Code and status of an error. */
export type AwsCode = `${string} ${number}`;

/** Row of an error: code in the Query protocol, in a REST API (null for the same one), and message unless it is usual. */
export type AwsRow = readonly [query: AwsCode, rest: AwsCode | null, message?: string];

/** Errors that every API has, with their usual messages. */
const usualMessages = {
  accessDenied: "The access key is not authorized to perform this action.",
  internal: "The request processing has failed because of an unknown error.",
  invalid: "The request has invalid parameters.",
  malformed: "The request body cannot be parsed.",
  missingToken: "Missing Authentication Token",
  throttled: "Maximum sending rate exceeded.",
  timedOut: "The request has timed out.",
  unavailable: "The request has failed due to a temporary failure of the server.",
  unknownKey: "The security token included in the request is invalid.",
  unknownOperation: "The requested operation does not exist.",
  validation: "1 validation error detected.",
} as const;

type UsualKind = keyof typeof usualMessages;

/** Errors of an API. */
export interface AwsApi<Kind extends string> {
  /** XML namespace of responses. */
  readonly namespace: string;
  readonly rows: Readonly<Record<Kind | UsualKind, AwsRow>>;
  /** Returns whether a path belongs to a REST API. */
  readonly isRestPath: (path: string) => boolean;
  /** Message of `invalid` for requests that are too large. */
  readonly tooLarge: string;
  /** Message of `invalid` for a recipient that a fault rule rejects. */
  readonly invalidRecipient: string;
  /** Returns the message of `invalid` for a problem of the request. */
  readonly invalidMessage: (problem: Problem) => string;
}

/** Error of an API. `members` are elements that the error of the Query protocol has beside the others. */
interface AwsError<Kind> {
  readonly kind: Kind | null;
  readonly codes: readonly [query: AwsCode, rest: AwsCode];
  readonly message: string;
  readonly members: XmlObject | null;
}

/** Throws and responds with the errors of an API. */
export interface AwsErrors<Kind extends string> {
  /** Returns the error of a kind; its `failure` is the kind. */
  readonly rejection: (kind: Kind | UsualKind, message?: string, members?: XmlObject) => Rejection<Kind | UsualKind>;
  /** Throws an error; that of a member becomes one of the API. */
  readonly throwAsRejection: (error: unknown) => never;
  readonly responses: ErrorResponses;
}

const messageLengthMax = 500;

/** Returns the errors of an API. */
export function awsErrors<Kind extends string>(api: AwsApi<Kind>): AwsErrors<Kind> {
  type Failure = AwsError<Kind | UsualKind>;
  const errorOf = (kind: Kind | UsualKind, message?: string, members: XmlObject | null = null): Failure => {
    const [query, rest, own] = api.rows[kind];
    const shown = message ?? own ?? (kind in usualMessages ? usualMessages[kind as UsualKind] : "");
    return { kind, codes: [query, rest ?? query], message: shown.slice(0, messageLengthMax), members };
  };
  const shape = (error: Failure, { path }: ErrorContext): ProviderResponse => {
    const isRest = api.isRestPath(path);
    const [code = "", status] = error.codes[isRest ? 1 : 0].split(" ");
    const { message, members } = error;
    if (!isRest) return queryErrorResponse(api.namespace, { status: Number(status), code, message, members });
    return restResponse(Number(status), { message }, { "x-amzn-errortype": code });
  };
  const rejection: AwsErrors<Kind>["rejection"] = (kind, message, members) => {
    const error = errorOf(kind, message, members);
    return new Rejection<Kind | UsualKind>(kind, (_, request) => shape(error, request), error.message);
  };
  const tooLarge = errorOf("invalid", api.tooLarge);
  return {
    rejection,
    throwAsRejection: (error) => {
      throw error instanceof MemberError ? rejection(error.kind, error.message) : error;
    },
    responses: errorResponses<Failure>({
      shape,
      ofProblem: (problem, { headers }) => {
        const kind = kindOfProblem(problem, readAccessKey(headers, []) !== null);
        if (kind === "tooLarge") return tooLarge;
        if (kind === "invalid") return errorOf(kind, api.invalidMessage(problem));
        if (kind === "internal") return errorOf(kind, failureText(problem, errorOf(kind).message));
        return errorOf(kind, kind === "throttled" ? problem.message : undefined);
      },
      faults: {
        rateLimited: errorOf("throttled"),
        unavailable: errorOf("unavailable"),
        internal: errorOf("internal"),
        unauthorized: errorOf("unknownKey"),
        invalidRecipient: errorOf("invalid", api.invalidRecipient),
        tooLarge,
        timeout: errorOf("timedOut"),
      },
      ofStatus: (status, message) => {
        const code: AwsCode = `${message.replaceAll(" ", "")} ${status}`;
        return { kind: null, codes: [code, code], message, members: null };
      },
    }),
  };
}

function kindOfProblem({ code, row }: Problem, hasKey: boolean): UsualKind | "tooLarge" {
  if (row.status >= 500) return "internal";
  if (code === "unauthenticated") return hasKey ? "unknownKey" : "missingToken";
  if (code === "forbidden") return "accessDenied";
  if (code === "not_found" || code === "method_not_allowed") return "unknownOperation";
  if (code === "body_too_large" || code === "message_too_large") return "tooLarge";
  if (code === "unsupported_media_type") return "malformed";
  return row.status === 429 ? "throttled" : "invalid";
}

/** Returns a response of a REST API with a new request id, which the SDKs show in errors. */
export function restResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ProviderResponse {
  return {
    status,
    headers: { "x-amzn-requestid": randomUUID(), ...headers },
    body: { contentType: "application/json", text: JSON.stringify(value) },
  };
}
