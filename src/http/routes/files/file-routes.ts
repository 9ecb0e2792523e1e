import { type KeyRoute, withSignal } from "../../route.ts";
import { getAttachment, openRawMessage } from "../../../operations/services/reading/get-message.ts";
import { fileResponse, fileSuccesses, safeMediaType } from "../../files/file-response.ts";
import { smallResponseBytesMax, streamedBytes } from "../../response-memory.ts";

/** `GET /api/files/email/:id`: raw bytes of a mail as received, or a range of them. */
const getRawMessageRoute: KeyRoute = {
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

/** `GET /api/files/attachments/:id`: decoded content of an attachment, or a range of it. */
const getAttachmentRoute: KeyRoute = {
  method: "GET",
  path: "/api/files/attachments/:id",
  operationId: "getAttachment",
  summary: "Fetch an attachment, or a range of it.",
  access: "key",
  successes: fileSuccesses("*/*"),
  problems: ["not_found", "range_not_satisfiable"],
  respond: async (call) => {
    const { attachment, bytes } = await getAttachment(
      { ...withSignal(call), room: call.room },
      call.principal,
      call.id,
    );
    const { id, fileName } = attachment;
    return fileResponse(call, {
      content: bytes,
      fileName,
      contentType: safeMediaType(attachment.contentType),
      version: id,
    });
  },
};

/** Routes below `/api/files`. */
export const fileRoutes: readonly KeyRoute[] = [getAttachmentRoute, getRawMessageRoute];
