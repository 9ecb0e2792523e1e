import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import { safeMediaType } from "../../http/files/safe-media-type.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { smallResponseBytesMax, streamedBytes } from "../../http/response-memory.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { readMailHead } from "../../operations/mailboxes/read-mail-head.ts";
import { describeAttachments, type DescribedAttachment } from "../../operations/messages/describe-attachments.ts";
import { readHeads } from "../../operations/messages/read-heads.ts";
import { getAttachment } from "../../operations/messages/get-attachment.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest } from "../read-json.ts";
import { blankThumbnail } from "./blank-thumbnail.ts";
import { resolveId } from "./get-message.ts";
import { rawHeaders, withEnvelope } from "./raw-headers.ts";
import { json } from "./responses.ts";

const path = "/api/v1/message/:id";
const permission = "read";
const missingPart = "part not found";

/** Routes of the source and the parts of a message. */
export const partRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path: `${path}/headers`,
    permission,
    respond: async (call) => {
      const id = await resolveId(call);
      const head = await readMailHead(call.context, id);
      const { value: stored } = await readHeads(contextOf(call), call.principal, [id]).next();
      if (head === undefined || stored === undefined) throw new Problem("not_found");
      return json(withEnvelope(rawHeaders(head), stored.detail.message));
    },
  },
  { method: "GET", path: `${path}/raw`, permission, respond: async (call) => sendRaw(call, await resolveId(call)) },
  {
    method: "GET",
    path: `${path}/part/:part`,
    permission,
    respond: async (call) => {
      const file = await findPart(call);
      const { bytes } = await getAttachment(contextOf(call), call.principal, file.id);
      return fileOf(file.fileName, safeMediaType(file.contentType), bytes);
    },
  },
  {
    method: "GET",
    path: `${path}/part/:part/thumb`,
    permission,
    respond: async (call) => {
      // Images of mails are not decoded, so every thumbnail is the one that Mailpit sends for files that are no images.
      const { fileName } = await findPart(call).catch((error: unknown) => {
        // Mailpit has another status here than for the part itself.
        if (error instanceof Problem && error.message === missingPart) throw badRequest(missingPart);
        throw error;
      });
      return fileOf(fileName, "image/jpeg", blankThumbnail);
    },
  },
];

function contextOf(call: PeerCall): PeerCall["context"] & Pick<PeerCall, "room"> & { readonly gone: AbortSignal } {
  return { ...call.context, room: call.room, gone: call.signal() };
}

async function sendRaw(call: PeerCall, id: MessageId): Promise<HttpResponse> {
  const content = await openMail(call.context, id);
  if (content === undefined) throw new Problem("not_found");
  if (content.sizeBytes > smallResponseBytesMax && !call.isHead) {
    await call.room.reserve(Math.min(2 * content.sizeBytes, streamedBytes));
  }
  const download = call.query.get("dl") === "1" ? { "content-disposition": attachmentDisposition(`${id}.eml`) } : {};
  const headers = { "content-type": "text/plain; charset=utf-8", ...download };
  return { status: 200, headers, body: null, stream: content.read(), streamBytes: content.sizeBytes };
}

/** Returns the part that the path names. Throws `not_found`. */
async function findPart(call: PeerCall): Promise<DescribedAttachment> {
  const id = await resolveId(call);
  const { attachments } = await describeAttachments(contextOf(call), call.principal, id);
  const found = attachments.find(({ partId }) => partId === call.params["part"]);
  if (found === undefined) throw new Problem("not_found", { text: missingPart });
  return found;
}

/** Returns a file that no browser renders as a page. */
function fileOf(fileName: string, contentType: string, bytes: Uint8Array): HttpResponse {
  const headers = {
    "content-type": contentType,
    "content-disposition": attachmentDisposition(fileName),
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
  };
  return { status: 200, headers, body: [bytes] };
}
