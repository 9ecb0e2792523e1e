/** Twilio's send interface, for texts that leave to real phones (API 2010-04-01, Messages resource). */
import type { ProviderAccount } from "../core/owned-number.ts";
import { writeForm } from "./form.ts";
import { membersOf, textOf, type SendInterface } from "./send-answer.ts";

const ownUrl = "https://api.twilio.com";

/**
 * Twilio answers 201 where it took the text, else a status with its own error code. Its own trouble, too many requests
 * and credentials that it does not take, which the operator can mend, may pass.
 */
export const twilioSending: SendInterface<ProviderAccount> = {
  write: ({ id, key, secret, apiUrl }, { from, to, text }) => ({
    url: `${apiUrl ?? ownUrl}/2010-04-01/Accounts/${id}/Messages.json`,
    body: writeForm(Object.entries({ From: from, To: to, Body: text })),
    headers: { authorization: `Basic ${Buffer.from(`${key ?? id}:${secret}`).toString("base64")}` },
  }),
  read: ({ status, body }) => {
    if (status >= 200 && status <= 299) return null;
    const code = textOf(membersOf(body)["code"]);
    const mayPass = status >= 500 || [401, 403, 408, 429].includes(status);
    return { text: `Twilio answered ${String(status)}${/^\d{1,6}$/.test(code) ? `, code ${code}` : ""}`, mayPass };
  },
};
