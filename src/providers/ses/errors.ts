/**
 * Errors of Amazon SES: https://docs.aws.amazon.com/ses/latest/DeveloperGuide/api-error-codes.html,
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html. `ServiceUnavailable` is
 * a common error of AWS (https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html); AWS documents no 504.
 */
import { awsErrors, type AwsErrors, type AwsRow } from "../formats/aws-errors.ts";
import { detailOf } from "../kit/rejection.ts";

/** Errors: code and status in version 1 and in version 2, and message. */
const rows = {
  accessDenied: ["AccessDenied 403", "AccessDeniedException 403"],
  alreadyExists: ["AlreadyExists 400", "AlreadyExistsException 400", "The resource already exists."],
  configurationSetExists: [
    "ConfigurationSetAlreadyExists 400",
    "AlreadyExistsException 400",
    "The configuration set already exists.",
  ],
  configurationSetMissing: [
    "ConfigurationSetDoesNotExist 400",
    "NotFoundException 404",
    "The configuration set does not exist.",
  ],
  internal: ["InternalFailure 500", "InternalServiceErrorException 500"],
  invalid: ["InvalidParameterValue 400", "BadRequestException 400"],
  invalidRendering: ["InvalidRenderingParameter 400", "BadRequestException 400", "Template rendering data is invalid"],
  invalidTemplate: ["InvalidTemplate 400", "BadRequestException 400", "The template is invalid."],
  limitExceeded: ["LimitExceeded 400", "LimitExceededException 400", "A limit is exceeded."],
  malformed: ["MalformedQueryString 400", "SerializationException 400"],
  missingAttribute: [
    "MissingRenderingAttribute 400",
    "BadRequestException 400",
    "An attribute is not present in the rendering data.",
  ],
  missingToken: ["MissingAuthenticationToken 403", "MissingAuthenticationTokenException 403"],
  notFound: ["InvalidParameterValue 400", "NotFoundException 404", "Not found."],
  rejected: ["MessageRejected 400", null, "The message was rejected."],
  templateMissing: ["TemplateDoesNotExist 400", "NotFoundException 404", "The template does not exist."],
  throttled: ["Throttling 400", "TooManyRequestsException 429"],
  timedOut: ["GatewayTimeout 504", null],
  unavailable: ["ServiceUnavailable 503", null],
  unknownKey: ["InvalidClientTokenId 403", "UnrecognizedClientException 403"],
  unknownOperation: ["InvalidAction 400", "UnknownOperationException 404"],
  validation: ["ValidationError 400", "BadRequestException 400"],
} as const satisfies Readonly<Record<string, AwsRow>>;

/** Name of a row of the error table. */
export type SesErrorKind = keyof typeof rows;

/** XML namespace of version 1 of the API. */
export const queryNamespace = "http://ses.amazonaws.com/doc/2010-12-01/";

/** Errors of Amazon SES. */
export const sesErrors: AwsErrors<SesErrorKind> = awsErrors<SesErrorKind>({
  namespace: queryNamespace,
  rows,
  isRestPath,
  tooLarge: "Message length exceeds the maximum message size.",
  invalidRecipient: "Illegal address",
  invalidMessage: detailOf,
});

/** Returns the error of a kind with a public message. */
export const rejection: AwsErrors<SesErrorKind>["rejection"] = sesErrors.rejection;

/** Returns whether a path belongs to version 2, a REST API with JSON. */
export function isRestPath(path: string): boolean {
  return path.startsWith("/v2/");
}

/** `0100` and the time in hexadecimal milliseconds, the UUID, and a counter. */
const pattern = /^0100[0-9a-f]{12}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-000000$/;
const timeDigits = 12;

/** Returns the message id of a UUID; `now` in milliseconds since the Unix epoch. */
export function sesMessageId(uuid: string, now: number): string {
  return `0100${Math.max(0, Math.trunc(now)).toString(16).padStart(timeDigits, "0").slice(-timeDigits)}-${uuid}-000000`;
}

/** Returns the UUID in a message id; "" for anything else. */
export function uuidOfMessageId(messageId: string): string {
  return pattern.exec(messageId)?.[1] ?? "";
}

/** Returns the Message-ID field that Amazon SES gives a mail in a region. */
export function messageIdField(messageId: string, region: string): string {
  return `<${messageId}@${region === "us-east-1" ? "email" : region}.amazonses.com>`;
}
