/** Vonage's send interface, for texts that leave to real phones (SMS API, `/sms/json`). */
import type { ProviderAccount } from "../core/owned-number.ts";
import { countSegments } from "../core/sms.ts";
import { writeForm } from "./form.ts";
import { membersOf, textOf, type SendInterface } from "./send-answer.ts";

const ownUrl = "https://rest.nexmo.com";

/** Throttled, credentials, internal error, quota, concurrent requests: what passes by itself or by the operator's hand. */
const passingStatuses = new Set(["1", "4", "5", "9", "12"]);

/** Vonage answers 200 whatever came of it; each segment has a status, and 0 is the good one. */
export const vonageSending: SendInterface<ProviderAccount> = {
  write: ({ id, secret, apiUrl }, { from, to, text }) => ({
    url: `${apiUrl ?? ownUrl}/sms/json`,
    body: writeForm(
      Object.entries({
        api_key: id,
        api_secret: secret,
        from: from.replace(/^\+/, ""),
        to: to.replace(/^\+/, ""),
        text,
        type: countSegments(text).encoding === "GSM-7" ? "text" : "unicode",
      }),
    ),
    headers: {},
  }),
  read: ({ status, body }) => {
    if (status < 200 || status > 299) {
      const mayPass = status >= 500 || [401, 403, 408, 429].includes(status);
      return { text: `Vonage answered ${String(status)}`, mayPass };
    }
    const { messages } = membersOf(body);
    const segments = Array.isArray(messages) ? messages.map((one) => membersOf(JSON.stringify(one))) : [];
    const refused = segments.find((one) => textOf(one["status"]) !== "0");
    if (refused === undefined && segments.length > 0) return null;
    const code = textOf(refused?.["status"]);
    if (!/^\d{1,4}$/.test(code)) return { text: "Vonage answered what cannot be read", mayPass: true };
    const [first] = segments;
    // Where the first segment went out, doing it again would send that one twice.
    const mayPass = passingStatuses.has(code) && first === refused;
    return { text: `Vonage answered status ${code}`, mayPass };
  },
};
