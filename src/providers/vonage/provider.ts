import { uuidOfId } from "../formats/uuid.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { SmsProvider } from "../provider.ts";
import { vonageErrors } from "./errors.ts";
import { deliverByVonage, vonageInbound } from "./inbound.ts";
import { readVonageKey } from "./read-key.ts";
import { vonageSendApi } from "./send.ts";

const messages = openEndpoints({ load: async () => import("./messages.ts"), isAtRoot: true, access: "own" }, [
  [
    "POST /sms/json",
    "sendMessage",
    "Send an SMS through the Vonage-compatible API.",
    [200, "Vonage's response, also for errors."],
  ],
]);

const next = "Send a code through the next channel of the Vonage Verify-compatible API.";
const nextSettings = { isSend: true, success: [200, "The id of the request."] } as const;
const verifications = endpoints({ load: async () => import("./verifications.ts") }, [
  [
    "POST /v2/verify",
    "startVerification",
    "Send a code through the Vonage Verify-compatible API.",
    { isSend: true, success: [202, "The id of the request."] },
  ],
  [
    "POST /v2/verify/:id",
    "checkVerification",
    "Check a code through the Vonage Verify-compatible API.",
    [200, "The status `completed`."],
  ],
  [
    "DELETE /v2/verify/:id",
    "cancelVerification",
    "Cancel a verification through the Vonage Verify-compatible API.",
    [204, "The verification was cancelled."],
  ],
  // Vonage's reference has the hyphen, its SDKs the underscore.
  ["POST /v2/verify/:id/next-workflow", "nextWorkflow", next, nextSettings],
  ["POST /v2/verify/:id/next_workflow", "nextWorkflow", next, nextSettings],
]);

/** Vonage's SMS API and its Verify API, version 2. */
export const vonage: SmsProvider = {
  name: "vonage",
  label: "Vonage",
  apiOrigins: /^https:\/\/(?:rest|rest-eu|rest-us|api|api-eu|api-us|api-ap)\.(?:nexmo|vonage)\.com$/,
  hosts: ["rest.nexmo.com", "api.nexmo.com"],
  endpoints: [...messages, ...verifications],
  readKey: readVonageKey,
  ...vonageErrors,
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
