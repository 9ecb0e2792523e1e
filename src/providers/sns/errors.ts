/**
 * Errors of Amazon SNS: https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html and the errors of each action. AWS documents
 * no 504.
 */
import { awsErrors, type AwsErrors, type AwsRow } from "../formats/aws-errors.ts";
import type { Rejection } from "../kit/rejection.ts";

/** XML namespace of Amazon SNS. */
export const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";

const rows = {
  accessDenied: ["AuthorizationError 403", null],
  internal: ["InternalError 500", null],
  invalid: ["InvalidParameter 400", null, "Invalid parameter"],
  malformed: ["MalformedQueryString 400", null],
  missingToken: ["MissingAuthenticationToken 403", null],
  notFound: ["NotFound 404", null, "Topic does not exist"],
  throttled: ["Throttled 429", null, "Rate exceeded"],
  timedOut: ["GatewayTimeout 504", null],
  unavailable: ["ServiceUnavailable 503", null],
  unknownKey: ["InvalidClientTokenId 403", null],
  unknownOperation: ["InvalidAction 400", null],
  validation: ["ValidationError 400", null],
} as const satisfies Readonly<Record<string, AwsRow>>;

/** Errors of Amazon SNS. */
export const snsErrors: AwsErrors<keyof typeof rows> = awsErrors<keyof typeof rows>({
  namespace,
  rows,
  isRestPath: () => false,
  tooLarge: "Invalid parameter: Message too long",
  invalidRecipient: "Invalid parameter: PhoneNumber Reason: The number is not valid to publish to",
  invalidMessage: ({ message, fields: [field] }) =>
    `Invalid parameter: ${field === undefined ? message : `${field.field} Reason: ${field.description}`}`,
});

/** Returns the error of a kind with a public message. */
export const rejection: AwsErrors<keyof typeof rows>["rejection"] = snsErrors.rejection;

/** Returns the error for an invalid parameter: `Invalid parameter: <text>`. */
export function invalidParameter(text: string): Rejection {
  return rejection("invalid", `Invalid parameter: ${text}`);
}
