import { decodeMessageId, parseMessageId } from "../../../core/ids.ts";
import type { UnsubscribeReport } from "../../../core/unsubscribe.ts";
import { unsubscribeMessage } from "../../../operations/messages/unsubscribe-message.ts";
import { auditedAct } from "../../audit.ts";
import { jsonResponse, type HttpResponse } from "../../http-response.ts";
import { jsonBodyBytesMax, withSignal, type KeyRoute } from "../../route.ts";
import { decodeBody } from "../../wire/request-decoder.ts";
import { unsubscribeReportSchema, unsubscribeRequestSchema } from "../../wire/unsubscribe-schema.ts";

/** `POST /api/messages/:id/unsubscribe`: the one-click unsubscribe request of a mail (RFC 8058). */
export const unsubscribeMessageRoute: KeyRoute = {
  method: "POST",
  path: "/api/messages/:id/unsubscribe",
  operationId: "unsubscribeMessage",
  summary: "Unsubscribe with one click as mailbox providers do, and judge the response.",
  access: "key",
  permission: "send",
  audit: (call, response) => {
    const id = parseMessageId(call.id);
    const server = id === undefined ? null : decodeMessageId(id).server;
    return auditedAct("message.unsubscribe", { target: call.id, server, details: detailsOf(response) });
  },
  body: { schema: unsubscribeRequestSchema, bytesMax: jsonBodyBytesMax },
  successes: [{ status: 200, description: "The checks and their results.", schema: unsubscribeReportSchema }],
  problems: ["invalid_request", "not_found", "too_many_requests"],
  respond: async (call) => {
    const request = decodeBody(unsubscribeRequestSchema, call.body);
    return jsonResponse(await unsubscribeMessage(withSignal(call), call.principal, { ...request, id: call.id }));
  },
};

function detailsOf({ body }: HttpResponse): { readonly ok: boolean; readonly sent: boolean } {
  const { ok, checks } = JSON.parse(Buffer.concat(body ?? []).toString("utf8")) as UnsubscribeReport;
  return { ok, sent: checks.some(({ name, result }) => name === "response" && result !== "skipped") };
}
