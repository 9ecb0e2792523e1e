import { formRequest, jsonOf, type ProviderSamples, type SmsSamples } from "../conformance/samples.test-aid.ts";

const sms: SmsSamples = {
  sendPath: "/sms/json",
  // https://developer.vonage.com/en/api/sms#send-an-sms
  furtherFields: {
    type: "unicode",
    ttl: "900001",
    "status-report-req": "false",
    "message-class": "2",
    body: "0011223344556677",
    udh: "06050415811581",
    "protocol-id": "127",
    "client-ref": "order-17",
    "account-ref": "customer-9",
    "entity-id": "1101456324675322134",
    "content-id": "1107457532145798767",
    "trusted-number": "yes-1",
  },
  send: ({ from, to, text }, { key, callback, fields: further = {} }) => {
    const fields = { api_key: "k", api_secret: key, from, to: to.replace("+", ""), text };
    return formRequest(Object.entries({ ...further, ...fields, ...(callback !== null && { callback }) }), {
      path: "/sms/json",
    });
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
