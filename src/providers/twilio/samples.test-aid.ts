import { formRequest, jsonOf, type ProviderSamples, type SmsSamples } from "../conformance/samples.test-aid.ts";
import { uuidOfSid } from "./message.ts";

const sms: SmsSamples = {
  sendPath: "/2010-04-01/Accounts/:account/Messages.json",
  // https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource
  furtherFields: {
    ApplicationSid: "AP0f",
    MaxPrice: "0.0417",
    ProvideFeedback: "true",
    Attempt: "3",
    ValidityPeriod: "14399",
    ForceDelivery: "true",
    ContentRetention: "retain",
    AddressRetention: "obfuscate",
    SmartEncoded: "true",
    PersistentAction: "geo:1,2",
    TrafficType: "free",
    ShortenUrls: "true",
    ScheduleType: "fixed",
    SendAt: "2026-12-01T00:00:00Z",
    SendAsMms: "true",
    ContentSid: `HX${"0".repeat(31)}1`,
    ContentVariables: '{"1":"x9"}',
    RiskCheck: "disable",
    MessagingServiceSid: `MG${"0".repeat(31)}2`,
    FallbackFrom: "+15557770000",
    MediaUrl: "https://app.test/ticket.png",
  },
  send: ({ from, to, text }, { key, callback, fields = {} }) => {
    const form = { ...fields, From: from, To: to, Body: text, ...(callback !== null && { StatusCallback: callback }) };
    return formRequest(Object.entries(form), { key, path: "/2010-04-01/Accounts/AC1/Messages.json" });
  },
  idOf: (response) => uuidOfSid(String(jsonOf(response)["sid"])),
  errorOf: (response) => (response.status < 300 ? null : String(jsonOf(response)["code"])),
};

/** Requests in the format of Twilio. */
export const samples: ProviderSamples = { sms };
