import { jsonBodyBytesMax, type KeyRoute, type Route } from "../../route.ts";
import { getApprovedPhrases, setApprovedPhrases } from "../../../operations/sms/phone-numbers.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { phrasesRequestSchema, phrasesSchema, smsRequestSchema } from "../../wire/sms-schema.ts";
import { getMessage } from "../../../operations/services/reading/get-message.ts";
import { decodeSms, receiveSms, type SmsArrival } from "../../../operations/sms/receive-sms.ts";
import { transcribe } from "../../request-resources.ts";
import { parseInstant } from "../../wire/date.ts";
import { messageSchema } from "../../../core/message.ts";

/** `POST /api/sms`: receives an SMS, independent of any provider. */
const receiveSmsRoute: KeyRoute = {
  method: "POST",
  path: "/api/sms",
  operationId: "receiveSms",
  summary: "Receive an SMS in the server of its number.",
  access: "account",
  permission: "send",
  body: { schema: smsRequestSchema, required: ["from", "to"], bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The stored message.", schema: messageSchema }],
  problems: ["invalid_request", "recipient_unknown", "limit_reached", "storage_full", "quota_exceeded"],
  respond: async (call) => {
    requireAccount(call.principal);
    const fields = decodeBody(smsRequestSchema, call.body, (partial) => {
      decodeSms(call.context, arrivalOf(partial));
    });
    const { target, body } = call;
    const request = transcribe(call, { method: "POST", target, body, key: null, status: 200 });
    const transcript = request.encode({ count: 1, isOwn: true, hits: [] });
    const id = await receiveSms(call.context, { ...arrivalOf(fields), server: null, transcript });
    return jsonResponse(await getMessage(call.context, call.principal, id));
  },
};

function arrivalOf({
  from = "",
  to = "",
  text = "",
  received,
}: {
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly received?: string;
}): Pick<SmsArrival, "from" | "to" | "text" | "receivedAt"> {
  return { from, to, text, receivedAt: received === undefined ? null : (parseInstant(received) ?? Number.NaN) };
}

const shared = { path: "/api/approved-phrases", access: "account" } as const;
const successes = [{ status: 200, description: "The phrases.", schema: phrasesSchema }];

/** `GET` and `PUT /api/approved-phrases`: phrases that SMS replies may consist of. */
const approvedPhrasesRoutes: readonly KeyRoute[] = [
  {
    ...shared,
    successes,
    method: "GET",
    operationId: "getApprovedPhrases",
    summary: "List the phrases that SMS replies may consist of.",
    problems: [],
    respond: async (call) => {
      requireAccount(call.principal);
      return jsonResponse({ phrases: await getApprovedPhrases(call.context) });
    },
  },
  {
    ...shared,
    successes,
    method: "PUT",
    operationId: "setApprovedPhrases",
    audit: (call) =>
      auditedAct("approved_phrases.set", {
        details: { count: decodeBody(phrasesRequestSchema, call.body).phrases?.length ?? 0 },
      }),
    summary: "Replace the phrases that SMS replies may consist of.",
    body: { schema: phrasesRequestSchema, required: ["phrases"], bytesMax: jsonBodyBytesMax },
    problems: ["invalid_request", "storage_full"],
    respond: async (call) => {
      const { phrases } = decodeBody(phrasesRequestSchema, call.body);
      return jsonResponse({ phrases: await setApprovedPhrases(call.context, call.principal, phrases) });
    },
  },
];

/** Routes of SMS and approved phrases. */
export const smsRoutes: readonly Route[] = [receiveSmsRoute, ...approvedPhrasesRoutes];
