import { getAttachment } from "../../../operations/messages/get-attachment.ts";
import { fileResponse } from "../../files/file-response.ts";
import { safeMediaType } from "../../files/safe-media-type.ts";
import { fileSuccesses } from "../../files/successes.ts";
import { withSignal, type KeyRoute } from "../../route.ts";

/** `GET /api/files/attachments/:id`: decoded content of an attachment, or a range of it. */
export const getAttachmentRoute: KeyRoute = {
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
