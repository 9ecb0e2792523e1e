import { uuidOfId } from "../formats/uuid.ts";
import { failureText, type SmsProvider } from "../provider.ts";
import { vonageEndpoints } from "./endpoints.ts";
import { vonageErrorOf, vonageErrorResponse, vonageFailure } from "./errors.ts";
import { vonageFault } from "./faults.ts";
import { deliverByVonage, vonageInbound } from "./inbound.ts";
import { readVonageKey } from "./read-key.ts";
import { vonageSendApi } from "./send.ts";
import { plainProblem, verifyErrorOf, verifyErrorResponse } from "./verify-errors.ts";

/** Vonage's SMS API and its Verify API, version 2. */
export const vonage: SmsProvider = {
  name: "vonage",
  label: "Vonage",
  apiOrigins: /^https:\/\/(?:rest|rest-eu|rest-us|api|api-eu|api-us|api-ap)\.(?:nexmo|vonage)\.com$/,
  hosts: ["rest.nexmo.com", "api.nexmo.com"],
  endpoints: vonageEndpoints,
  readKey: readVonageKey,
  errorResponse: (problem, { path }) =>
    path.startsWith("/v2/")
      ? verifyErrorResponse(verifyErrorOf(problem, path))
      : vonageErrorResponse(vonageErrorOf(problem)),
  failureResponse: (problem, { path }) =>
    path.startsWith("/v2/")
      ? plainProblem(problem.row.status, failureText(problem, "Internal Server Error"))
      : vonageErrorResponse(vonageFailure(problem)),
  faultResponse: vonageFault,
  email: null,
  sms: {
    credentials: {
      signing: "signature secret",
      accountId: "API key",
      accountKey: null,
      accountSecret: "API secret",
    },
    inbound: vonageInbound,
    deliver: deliverByVonage,
    sendApi: vonageSendApi,
    uuidOf: uuidOfId,
  },
};
