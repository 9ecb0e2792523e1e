import { getTranscript, transcriptText } from "../../../operations/messages/get-transcript.ts";
import { jsonResponse, textResponse } from "../../http-response.ts";
import type { KeyRoute } from "../../route.ts";
import { transcriptSchema } from "../../wire/transcript-schema.ts";

/** `GET /api/messages/:id/transcript`: session or request that delivered a message. */
export const getTranscriptRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id/transcript",
  operationId: "getTranscript",
  summary:
    "Retrieve the transcript of the SMTP session or HTTP request that delivered a message; as text with `Accept: text/plain`.",
  access: "key",
  successes: [{ status: 200, description: "The transcript.", schema: transcriptSchema, headers: { vary: "Accept" } }],
  problems: ["not_found"],
  respond: async (call) => {
    const transcript = await getTranscript(call.context, call.principal, call.id);
    const isText = /\btext\/plain\b/i.test(call.headers.accept ?? "");
    const response = isText
      ? textResponse(transcriptText(transcript), "text/plain; charset=utf-8")
      : jsonResponse(transcript);
    return { ...response, headers: { ...response.headers, vary: "Accept" } };
  },
};
