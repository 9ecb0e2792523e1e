import { endpoints } from "../kit/endpoints.ts";
import type { SmsProvider } from "../provider.ts";
import { twilioErrors } from "./errors.ts";
import { deliverByTwilio, twilioInbound, apiVersion, uuidOfSid } from "./message.ts";
import { twilioSendApi } from "./send.ts";

const api = "the Twilio-compatible API";
const list = `/${apiVersion}/Accounts/:account/Messages.json` as const;
const item = `/${apiVersion}/Accounts/:account/Messages/:id` as const;
const messages = endpoints({ load: async () => import("./messages.ts"), isAtRoot: true }, [
  [`POST ${list}`, "sendMessage", `Send an SMS through ${api}.`, [201, "Twilio's message resource."]],
  [`GET ${item}`, "getMessage", `Fetch an SMS through ${api}.`],
  [`GET ${list}`, "listMessages", `List SMS through ${api}.`],
  [`GET ${item}/Media.json`, "listMedia", `List the media of a message through ${api}.`],
  [`GET ${item}/Media/:media`, "getMedia", `Fetch the media of a message through ${api}.`],
]);

const contentApi = "the Twilio Content-compatible API";
const content = "/v1/Content";
const contents = endpoints({ load: async () => import("./content.ts") }, [
  [`POST ${content}`, "createContent", `Create a template of ${contentApi}.`, [201, "Twilio's content resource."]],
  [`GET ${content}`, "listContents", `List templates of ${contentApi}.`],
  [`GET ${content}/:content`, "getContent", `Fetch a template of ${contentApi}.`],
  [
    `DELETE ${content}/:content`,
    "deleteContent",
    `Delete a template of ${contentApi}.`,
    [204, "The template was deleted."],
  ],
]);

const verifyApi = "the Twilio Verify-compatible API";
const service = "/v2/Services/:service";
const services = endpoints({ load: async () => import("./verify-services.ts") }, [
  ["POST /v2/Services", "createService", `Create a service of ${verifyApi}.`, [201, "Twilio's service resource."]],
  ["GET /v2/Services", "listServices", `List services of ${verifyApi}.`],
  [`GET ${service}`, "getService", `Fetch a service of ${verifyApi}.`],
  [`POST ${service}`, "updateService", `Update a service of ${verifyApi}.`],
  [`DELETE ${service}`, "deleteService", `Delete a service of ${verifyApi}.`, [204, "The service was deleted."]],
]);

const started = { isSend: true, success: [201, "Twilio's verification resource."] } as const;
const checked = [201, "Twilio's resource of the check, also for a wrong code."] as const;
const verification = `${service}/Verifications/:id` as const;
const verifications = endpoints({ load: async () => import("./verifications.ts") }, [
  [`POST ${service}/Verifications`, "createVerification", `Send a code through ${verifyApi}.`, started],
  [`GET ${verification}`, "getVerification", `Fetch a verification through ${verifyApi}.`],
  [`POST ${verification}`, "updateVerification", `Approve or cancel a verification through ${verifyApi}.`],
  [`POST ${service}/VerificationCheck`, "checkVerification", `Check a code through ${verifyApi}.`, checked],
]);

/** Twilio's Programmable Messaging API, version 2010-04-01, and its Verify API, version 2. */
export const twilio: SmsProvider = {
  name: "twilio",
  label: "Twilio",
  // https://www.twilio.com/docs/global-infrastructure: api.<edge>.<region>.twilio.com
  apiOrigins: /^https:\/\/api(?:\.[a-z0-9-]{1,40}){0,2}\.twilio\.com$/,
  hosts: ["api.twilio.com", "content.twilio.com", "verify.twilio.com"],
  endpoints: [...messages, ...contents, ...services, ...verifications],
  ...twilioErrors,
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
