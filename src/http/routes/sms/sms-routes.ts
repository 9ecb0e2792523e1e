import { type ValueOf, listOf } from "../../../core/schema.ts";
import { accountRoute } from "../rows.ts";
import type { Route, KeyRoute } from "../../route.ts";
import {
  getApprovedPhrases,
  setApprovedPhrases,
  addPhoneNumber,
  listPhoneNumbers,
  numberChangeSchema,
  numberRequestSchema,
  readNumberRequest,
  removePhoneNumber,
} from "../../../operations/sms/phone-numbers.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct, responseText } from "../../audit.ts";
import {
  phrasesRequestSchema,
  phrasesSchema,
  smsRequestSchema,
  numberSchema,
  toWireNumber,
} from "../../wire/sms-schema.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
import { decodeSms, receiveSms, type SmsArrival } from "../../../operations/sms/receive-sms.ts";
import { transcribe } from "../../request-resources.ts";
import { parseInstant } from "../../wire/date.ts";
import { messageSchema } from "../../../core/message.ts";
import { checkNumberChange, updatePhoneNumber } from "../../../operations/sms/update-phone-number.ts";

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

/** Members that an account needs. */
const accountMembers = ["account.id", "account.secret"];

/** Routes below `/api/phone-numbers`. */
export const phoneNumberRoutes: readonly KeyRoute[] = [
  accountRoute("listPhoneNumbers", "GET /api/phone-numbers", {
    summary: "List the phone numbers of all servers.",
    returns: ["The phone numbers, in order.", listOf(numberSchema)],
    run: async ({ context, principal }) => (await listPhoneNumbers(context, principal)).map(toWireNumber),
  }),
  accountRoute("addPhoneNumber", "POST /api/phone-numbers", {
    summary: "Add a phone number to a server.",
    body: numberRequestSchema,
    required: ["number", "server", ...accountMembers],
    check: (partial, wrong, { context }) => {
      readNumberRequest(context, partial, wrong);
    },
    audit: (_call, response) =>
      auditedAct("phone_number.add", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
      }),
    returns: ["The phone number.", numberSchema],
    problems: ["not_found", "conflict"],
    run: async ({ context, principal }, request) => toWireNumber(await addPhoneNumber(context, principal, request)),
  }),
  accountRoute("updatePhoneNumber", "PUT /api/phone-numbers/:id", {
    summary: "Change a phone number, named in international form or by its id.",
    body: numberChangeSchema,
    required: accountMembers,
    check: (partial, _wrong, { context }) => {
      checkNumberChange(context, partial);
    },
    audit: (_call, response, body) =>
      auditedAct("phone_number.update", {
        target: responseText(response, "id"),
        server: responseText(response, "server"),
        details: { fields: Object.keys(body) },
      }),
    returns: ["The phone number as it is now.", numberSchema],
    problems: ["conflict"],
    run: async ({ context, principal, id }, change) =>
      toWireNumber(await updatePhoneNumber(context, principal, { number: id, change })),
  }),
  accountRoute("removePhoneNumber", "DELETE /api/phone-numbers/:id", {
    summary: "Remove a phone number.",
    audit: (call) => auditedAct("phone_number.remove", { target: call.id }),
    returns: ["Removed; SMS that it received stay."],
    run: async ({ context, principal, id }) => removePhoneNumber(context, principal, id),
  }),
];
