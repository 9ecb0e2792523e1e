import { readAccessKey } from "../formats/aws-access-key.ts";
import type { Provider } from "../provider.ts";
import { recipientCountMax } from "./addresses.ts";
import { sesEndpoints } from "./endpoints.ts";
import { sesFailure, sesProblemResponse } from "./errors.ts";
import { sesFault } from "./faults.ts";
import { uuidOfMessageId } from "./message-id.ts";

/** Amazon SES: version 2 (REST with JSON) and version 1 (Query with XML) of its API. */
export const ses: Provider = {
  name: "ses",
  label: "Amazon SES",
  // https://docs.aws.amazon.com/general/latest/gr/ses.html: email.<region>.amazonaws.com
  apiOrigins: /^https:\/\/email(?:-fips)?\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com(?:\.cn)?$/,
  hosts: ["email.*.amazonaws.com"],
  signingName: "ses",
  endpointVariables: ["AWS_ENDPOINT_URL_SES", "AWS_ENDPOINT_URL_SESV2"],
  endpoints: sesEndpoints,
  readKey: readAccessKey,
  loadEvents: async () => (await import("./event-webhook.ts")).sesEvents,
  errorResponse: sesProblemResponse,
  failureResponse: sesFailure,
  faultResponse: sesFault,
  sms: null,
  email: {
    // A mail of 40 MB in base64, and the other members.
    requestBytesMax: 56 * 1024 * 1024,
    recipientCountMax,
    features: ["batch", "attachments", "inline images", "custom headers", "metadata", "stored templates"],
    uuidOf: uuidOfMessageId,
  },
};
