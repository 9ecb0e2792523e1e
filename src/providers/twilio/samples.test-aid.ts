import { formRequest, jsonOf, type ProviderSamples, type SmsSamples } from "../conformance/samples.test-aid.ts";
import { uuidOfSid } from "./message.ts";

const sms: SmsSamples = {
  sendPath: "/2010-04-01/Accounts/:account/Messages.json",
  send: ({ from, to, text }, { key, callback }) => {
    const form = { From: from, To: to, Body: text, ...(callback !== null && { StatusCallback: callback }) };
    return formRequest(Object.entries(form), { key, path: "/2010-04-01/Accounts/AC1/Messages.json" });
  },
  idOf: (response) => uuidOfSid(String(jsonOf(response)["sid"])),
  errorOf: (response) => (response.status < 300 ? null : String(jsonOf(response)["code"])),
};

/** Requests in the format of Twilio. */
export const samples: ProviderSamples = { sms };
