import type { ValueOf } from "../../../core/schema.ts";
import { accountRoute } from "../rows.ts";
import type { Route } from "../../route.ts";
import { getApprovedPhrases, setApprovedPhrases } from "../../../operations/sms/phone-numbers.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { phrasesRequestSchema, phrasesSchema, smsRequestSchema } from "../../wire/sms-schema.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
import { decodeSms, receiveSms, type SmsArrival } from "../../../operations/sms/receive-sms.ts";
import { transcribe } from "../../request-resources.ts";
import { parseInstant } from "../../wire/date.ts";
import { messageSchema } from "../../../core/message.ts";

function arrivalOf({
  from = "",
  to = "",
  text = "",
  received,
}: Partial<ValueOf<typeof smsRequestSchema>>): Pick<SmsArrival, "from" | "to" | "text" | "receivedAt"> {
  return { from, to, text, receivedAt: received === undefined ? null : (parseInstant(received) ?? Number.NaN) };
}

/** Routes of SMS and approved phrases. */
export const smsRoutes: readonly Route[] = [
  accountRoute("receiveSms", "POST /api/sms", {
    summary: "Receive an SMS in the server of its number.",
    permission: "send",
    body: smsRequestSchema,
    required: ["from", "to"],
    returns: ["The stored message.", messageSchema],
    problems: ["recipient_unknown", "limit_reached", "quota_exceeded"],
    check: (partial, _wrong, { context }) => {
      decodeSms(context, arrivalOf(partial));
    },
    respond: async (call, decode) => {
      requireAccount(call.principal);
      const fields = decode();
      const { target, body } = call;
      const request = transcribe(call, { method: "POST", target, body, key: null, status: 200 });
      const transcript = request.encode({ count: 1, isOwn: true, hits: [] });
      const id = await receiveSms(call.context, { ...arrivalOf(fields), server: null, transcript });
      return jsonResponse(await getMessage(call.context, call.principal, id));
    },
  }),
  accountRoute("getApprovedPhrases", "GET /api/approved-phrases", {
    summary: "List the phrases that SMS replies may consist of.",
    returns: ["The phrases.", phrasesSchema],
    run: async ({ context, principal }) => {
      requireAccount(principal);
      return { phrases: await getApprovedPhrases(context) };
    },
  }),
  accountRoute("setApprovedPhrases", "PUT /api/approved-phrases", {
    summary: "Replace the phrases that SMS replies may consist of.",
    body: phrasesRequestSchema,
    required: ["phrases"],
    audit: (_call, _response, { phrases = [] }) =>
      auditedAct("approved_phrases.set", { details: { count: phrases.length } }),
    returns: ["The phrases.", phrasesSchema],
    run: async ({ context, principal }, { phrases }) => ({
      phrases: await setApprovedPhrases(context, principal, phrases),
    }),
  }),
];
