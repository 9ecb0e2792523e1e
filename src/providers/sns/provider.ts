import { readAccessKey } from "../formats/aws-access-key.ts";
import type { Provider } from "../provider.ts";
import { snsEndpoints } from "./endpoints.ts";
import { snsErrorResponse, snsFailure, snsProblemResponse } from "./errors.ts";
import { snsFault } from "./faults.ts";

/** Amazon SNS as far as it sends SMS. It has no phone numbers with webhooks. */
export const sns: Provider = {
  name: "sns",
  label: "Amazon SNS",
  // https://docs.aws.amazon.com/general/latest/gr/sns.html: sns.<region>.amazonaws.com
  apiOrigins: /^https:\/\/sns(?:-fips)?\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com(?:\.cn)?$/,
  hosts: ["sns.*.amazonaws.com"],
  signingName: "sns",
  endpointVariables: ["AWS_ENDPOINT_URL_SNS"],
  endpoints: snsEndpoints,
  readKey: readAccessKey,
  errorResponse: snsProblemResponse,
  failureResponse: (problem) => snsErrorResponse(snsFailure(problem)),
  faultResponse: snsFault,
  sms: null,
  email: null,
};
