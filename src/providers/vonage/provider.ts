import type { SmsProvider } from "../provider.ts";
import { vonageEndpoints } from "./endpoints.ts";
import { vonageErrorOf, vonageErrorResponse } from "./errors.ts";
import { deliverByVonage, vonageInbound } from "./inbound.ts";
import { vonageSendApi } from "./send.ts";

/** Vonage's SMS API. */
export const vonage: SmsProvider = {
  name: "vonage",
  label: "Vonage",
  apiOrigins: /^https:\/\/(?:rest|rest-eu|rest-us|api|api-eu|api-us|api-ap)\.(?:nexmo|vonage)\.com$/,
  hosts: ["rest.nexmo.com", "api.nexmo.com"],
  endpoints: vonageEndpoints,
  errorResponse: (problem) => vonageErrorResponse(vonageErrorOf(problem)),
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
  },
};
