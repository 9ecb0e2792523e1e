import { openRawMessage } from "../../../operations/messages/get-raw-message.ts";
import { smallResponseBytesMax, streamedBytes } from "../../response-memory.ts";
import { fileResponse } from "../../files/file-response.ts";
import { fileSuccesses } from "../../files/successes.ts";
import type { KeyRoute } from "../../route.ts";

/** `GET /api/files/email/:id`: raw bytes of a mail as received, or a range of them. */
export const getRawMessageRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/email/:id",
  operationId: "getRawMessage",
  summary: "Fetch the bytes of a mail as received, or a range of them.",
  access: "key",
  successes: fileSuccesses("message/rfc822"),
  problems: ["not_found", "range_not_satisfiable"],
  respond: async (call) => {
    const content = await openRawMessage(call.context, call.principal, call.id);
    if (content.sizeBytes > smallResponseBytesMax && !call.isHead) {
      await call.room.reserve(Math.min(2 * content.sizeBytes, streamedBytes));
    }
    const id = call.id.toLowerCase();
    return fileResponse(call, { content, fileName: `${id}.eml`, contentType: "message/rfc822", version: id });
  },
};
