import { zipAttachments } from "../../../operations/bundles/zip-attachments.ts";
import { streamedBytes } from "../../response-memory.ts";
import { withSignal, type KeyRoute } from "../../route.ts";
import { archiveResponse, archiveSuccess } from "./archive-response.ts";

/** `GET /api/messages/:id/attachments`: all attachments of a message as a ZIP archive. */
export const getAttachmentsRoute: KeyRoute = {
  method: "GET",
  path: "/api/messages/:id/attachments",
  operationId: "getAttachments",
  summary: "Download all attachments of a message as a ZIP archive.",
  access: "key",
  successes: [archiveSuccess("A ZIP archive with the decoded attachments; empty for a message without them.")],
  problems: ["not_found"],
  respond: async (call) => {
    const room = { reserve: async (bytes: number) => call.room.reserve(bytes + streamedBytes) };
    const archive = await zipAttachments({ ...withSignal(call), room }, call.principal, call.id);
    return archiveResponse(`attachments-${call.id.toLowerCase()}.zip`, archive);
  },
};
