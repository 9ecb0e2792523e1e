import { getApprovedPhrases, setApprovedPhrases } from "../../../operations/sms/approved-phrases.ts";
import { requireAccount } from "../../../operations/services/security/access.ts";
import { jsonResponse } from "../../http-response.ts";
import { auditedAct } from "../../audit.ts";
import { jsonBodyBytesMax, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { phrasesRequestSchema, phrasesSchema } from "../../wire/sms-schema.ts";

const shared = { path: "/api/approved-phrases", access: "account" } as const;
const successes = [{ status: 200, description: "The phrases.", schema: phrasesSchema }];

/** `GET` and `PUT /api/approved-phrases`: phrases that SMS replies may consist of. */
export const approvedPhrasesRoutes: readonly KeyRoute[] = [
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
