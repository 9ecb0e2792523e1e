import { keyRoute } from "../rows.ts";
import { type KeyRoute, withSignal } from "../../route.ts";
import { getAttachment, openRawMessage } from "../../../operations/services/reading/get-message.ts";
import { fileResponse, fileSuccesses, safeMediaType } from "../../files/file-response.ts";
import { smallResponseBytesMax, streamedBytes } from "../../response-memory.ts";

/** Routes of files, except previews. */
export const fileRoutes: readonly KeyRoute[] = [
  keyRoute("getAttachment", "GET /api/files/attachments/:id", {
    summary: "Fetch an attachment, or a range of it.",
    returns: fileSuccesses("*/*"),
    problems: ["range_not_satisfiable"],
    respond: async (call) => {
      const context = { ...withSignal(call), room: call.room };
      const { attachment, bytes } = await getAttachment(context, call.principal, call.id);
      const { id, fileName } = attachment;
      const contentType = safeMediaType(attachment.contentType);
      return fileResponse(call, { content: bytes, fileName, contentType, version: id });
    },
  }),
  keyRoute("getRawMessage", "GET /api/files/email/:id", {
    summary: "Fetch the bytes of a mail as received, or a range of them.",
    returns: fileSuccesses("message/rfc822"),
    problems: ["range_not_satisfiable"],
    respond: async (call) => {
      const content = await openRawMessage(call.context, call.principal, call.id);
      if (content.sizeBytes > smallResponseBytesMax && !call.isHead) {
        await call.room.reserve(Math.min(2 * content.sizeBytes, streamedBytes));
      }
      const id = call.id.toLowerCase();
      return fileResponse(call, { content, fileName: `${id}.eml`, contentType: "message/rfc822", version: id });
    },
  }),
];
