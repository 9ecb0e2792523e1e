import { uuidOfId } from "../formats/uuid.ts";
import { endpoints, openEndpoints } from "../kit/endpoints.ts";
import type { SmsProvider } from "../provider.ts";
import { vonageErrors } from "./errors.ts";
import { deliverByVonage, vonageInbound } from "./message.ts";
import { readVonageKey } from "./read-key.ts";
import { vonageSendApi } from "./send.ts";

const sent = [200, "Vonage's response, also for errors."] as const;
const messages = openEndpoints({ load: async () => import("./messages.ts"), isAtRoot: true, access: "own" }, [
  ["POST /sms/json", "sendMessage", "Send an SMS through the Vonage-compatible API.", sent],
]);

const api = "the Vonage Verify-compatible API";
const sends = (status: 200 | 202) => ({ isSend: true, success: [status, "The id of the request."] }) as const;
const next = `Send a code through the next channel of ${api}.`;
const item = "/v2/verify/:id";
const cancelled = [204, "The verification was cancelled."] as const;
const verifications = endpoints({ load: async () => import("./verifications.ts") }, [
  ["POST /v2/verify", "startVerification", `Send a code through ${api}.`, sends(202)],
  [`POST ${item}`, "checkVerification", `Check a code through ${api}.`, [200, "The status `completed`."]],
  [`DELETE ${item}`, "cancelVerification", `Cancel a verification through ${api}.`, cancelled],
  // Vonage's reference has the hyphen, its SDKs the underscore.
  [`POST ${item}/next-workflow`, "nextWorkflow", next, sends(200)],
  [`POST ${item}/next_workflow`, "nextWorkflow", next, sends(200)],
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
