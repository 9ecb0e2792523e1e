import { countSegments } from "../../core/sms.ts";
import { writeForm } from "../formats/form.ts";
import { membersOf, textOf, type SendApi } from "../sms.ts";
import { withoutPlus } from "./message.ts";

const ownUrl = "https://rest.nexmo.com";

/** Throttled, invalid credentials, internal error, quota exceeded, too many concurrent requests. */
const temporaryStatuses = new Set(["1", "4", "5", "9", "12"]);

/** Client of Vonage's `/sms/json`, which responds with 200 also for errors; the status of each segment decides. */
export const vonageSendApi: SendApi = {
  request: ({ id, secret, apiUrl }, { from, to, text }) => ({
    url: `${apiUrl ?? ownUrl}/sms/json`,
    body: writeForm(
      Object.entries({
        api_key: id,
        api_secret: secret,
        from: withoutPlus(from),
        to: withoutPlus(to),
        text,
        type: countSegments(text).encoding === "GSM-7" ? "text" : "unicode",
      }),
    ),
    headers: {},
  }),
  readFailure: ({ status, body }) => {
    if (status < 200 || status > 299) {
      const isTemporary = status >= 500 || [401, 403, 408, 429].includes(status);
      return { text: `Vonage responded with HTTP status ${String(status)}`, isTemporary };
    }
    const { messages } = membersOf(body);
    const segments = Array.isArray(messages) ? messages.map((one) => membersOf(JSON.stringify(one))) : [];
    const failed = segments.find((one) => textOf(one["status"]) !== "0");
    if (failed === undefined && segments.length > 0) return null;
    const code = textOf(failed?.["status"]);
    if (!/^\d{1,4}$/.test(code)) return { text: "Vonage responded with an invalid body", isTemporary: true };
    const [first] = segments;
    // When the first segment was accepted, a retry would send it twice.
    const isTemporary = temporaryStatuses.has(code) && first === failed;
    return { text: `Vonage responded with status ${code}`, isTemporary };
  },
};
