import { formRequest, jsonOf, type ProviderSamples, type SmsSamples } from "../conformance/samples.test-aid.ts";

const sms: SmsSamples = {
  sendPath: "/sms/json",
  send: ({ from, to, text }, { key, callback }) => {
    const fields = { api_key: "k", api_secret: key, from, to: to.replace("+", ""), text };
    return formRequest(Object.entries({ ...fields, ...(callback !== null && { callback }) }), { path: "/sms/json" });
  },
  idOf: (response) => {
    const { messages } = jsonOf(response) as { messages: readonly { "message-id": string }[] };
    return messages[0]?.["message-id"] ?? "";
  },
  errorOf: (response) => {
    // Vonage Verify has HTTP statuses and problem details.
    if (response.status !== 200) return response.status < 300 ? null : String(jsonOf(response)["type"]);
    const { messages = [{ status: "0" }] } = jsonOf(response) as { messages?: readonly { status: string }[] };
    const status = messages[0]?.status ?? "none";
    return status === "0" ? null : status;
  },
};

/** Requests in the format of Vonage. */
export const samples: ProviderSamples = { sms };
