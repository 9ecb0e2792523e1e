import { writeForm } from "../formats/form.ts";
import { membersOf, textOf, type SendApi } from "../sms.ts";
import { apiVersion } from "./message.ts";

const ownUrl = "https://api.twilio.com";

/**
 * Client of Twilio's Messages resource. Twilio responds with 201 when it has accepted the message, else with a status and
 * an error code. Server errors, rate limits and rejected credentials, which the operator can correct, are temporary.
 */
export const twilioSendApi: SendApi = {
  request: ({ id, key, secret, apiUrl }, { from, to, text }) => ({
    url: `${apiUrl ?? ownUrl}/${apiVersion}/Accounts/${id}/Messages.json`,
    body: writeForm(Object.entries({ From: from, To: to, Body: text })),
    headers: { authorization: `Basic ${Buffer.from(`${key ?? id}:${secret}`).toString("base64")}` },
  }),
  readFailure: ({ status, body }) => {
    if (status >= 200 && status <= 299) return null;
    const code = textOf(membersOf(body)["code"]);
    const isTemporary = status >= 500 || [401, 403, 408, 429].includes(status);
    return {
      text: `Twilio responded with status ${String(status)}${/^\d{1,6}$/.test(code) ? `, code ${code}` : ""}`,
      isTemporary,
    };
  },
};
