import type { SmsProvider } from "../provider.ts";
import { twilioEndpoints } from "./endpoints.ts";
import { twilioErrorOf, twilioErrorResponse, twilioFailure } from "./errors.ts";
import { twilioFault } from "./faults.ts";
import { deliverByTwilio, twilioInbound } from "./inbound.ts";
import { uuidOfSid } from "./message.ts";
import { twilioSendApi } from "./send.ts";

/** Twilio's Programmable Messaging API, version 2010-04-01, and its Verify API, version 2. */
export const twilio: SmsProvider = {
  name: "twilio",
  label: "Twilio",
  // https://www.twilio.com/docs/global-infrastructure: api.<edge>.<region>.twilio.com
  apiOrigins: /^https:\/\/api(?:\.[a-z0-9-]{1,40}){0,2}\.twilio\.com$/,
  hosts: ["api.twilio.com", "content.twilio.com", "verify.twilio.com"],
  endpoints: twilioEndpoints,
  errorResponse: (problem, { path }) => twilioErrorResponse(twilioErrorOf(problem, path)),
  failureResponse: (problem) => twilioErrorResponse(twilioFailure(problem)),
  faultResponse: twilioFault,
  email: null,
  sms: {
    credentials: {
      signing: "auth token",
      accountId: "account SID",
      accountKey: "SID of an API key, where the secret is that key's",
      accountSecret: "auth token, or the API key's secret",
    },
    inbound: twilioInbound,
    deliver: deliverByTwilio,
    sendApi: twilioSendApi,
    uuidOf: uuidOfSid,
  },
};
