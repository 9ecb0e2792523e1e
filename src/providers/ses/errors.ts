/**
 * Errors of Amazon SES: https://docs.aws.amazon.com/ses/latest/DeveloperGuide/api-error-codes.html,
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/CommonErrors.html. `ServiceUnavailable` is
 * a common error of AWS (https://docs.aws.amazon.com/ses/latest/APIReference/CommonErrors.html); AWS documents no 504.
 */
import { awsErrors, type AwsErrors, type AwsRow } from "../formats/aws-errors.ts";
import { detailOf } from "../kit/rejection.ts";
import { isRestPath, queryNamespace } from "./response.ts";

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
