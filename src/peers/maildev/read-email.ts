import { decodeMessageId, parseMessageId, type MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import { safeMediaType } from "../../http/files/safe-media-type.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import { mailPageHeaders } from "../../http/web/mail-page.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { getAttachment } from "../../operations/messages/get-attachment.ts";
import { openMessage } from "../../operations/messages/get-message.ts";
import { readHeads } from "../../operations/messages/read-heads.ts";
import type { StoredMessageDetail } from "../../operations/services/reading/stored-detail.ts";
import { bodyOf, contentOfStream } from "../json-stream.ts";
import { linkImages } from "../link-images.ts";
import { markRead } from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { rewriteText, slicesOf } from "../rewrite-text.ts";
import { generatedFileName, type Version } from "./email.ts";
import { emailSegments, readEmails } from "./read-emails.ts";
import { failure, streamed } from "./responses.ts";

const permission = "read";

/** Routes of one e-mail. */
export function emailRoutes(prefix: string, version: Version): readonly PeerRoute[] {
  const path = `${prefix}/email/:id`;
  return [
    {
      method: "GET",
      path,
      permission,
      respond: async (call) => {
        const id = requireId(call);
        await requireMessage(call, id);
        const { value } = await readEmails(call, [id], version).next();
        if (value === undefined) throw new Problem("not_found");
        if (value.email["read"] !== true) await markRead(call, id);
        return streamed(emailSegments({ ...value, email: { ...value.email, read: true } }));
      },
    },
    {
      method: "GET",
      path: `${path}/html`,
      permission,
      respond: async (call) => showHtml(call, `//${call.headers.host ?? ""}${prefix}/email`, version),
    },
    { method: "GET", path: `${path}/attachment/:name`, permission, respond: sendAttachment },
    { method: "GET", path: `${path}/source`, permission, respond: async (call) => sendRaw(call, {}) },
    {
      method: "GET",
      path: `${path}/download`,
      permission,
      respond: async (call) => {
        const disposition = attachmentDisposition(`${requireId(call)}.eml`);
        return await sendRaw(call, { "content-type": "message/rfc822", "content-disposition": disposition });
      },
    },
  ];
}

/** Returns the id of the path. Throws `not_found` when it is none of a received message. */
export function requireId({ params }: Pick<PeerCall, "params">): MessageId {
  const id = parseMessageId(params["id"] ?? "");
  if (id === undefined || decodeMessageId(id).direction !== "Received") throw new Problem("not_found");
  return id;
}

/** Rejects with `not_found` when the server has no such message. */
export async function requireMessage({ context, server }: PeerCall, id: MessageId): Promise<void> {
  const isThere = decodeMessageId(id).server === server && (await context.store.getDetail(id)) !== undefined;
  if (!isThere) throw new Problem("not_found");
}

/** Returns the stored facts about a message, without reading its bodies. Rejects with `not_found`. */
export async function requireHead(call: PeerCall, id: MessageId): Promise<StoredMessageDetail> {
  const context = { ...call.context, gone: call.signal() };
  const { value } = await readHeads(context, call.principal, [id]).next();
  if (value === undefined) throw new Problem("not_found");
  return value.detail.message;
}

function contextOf(call: PeerCall): PeerCall["context"] & Pick<PeerCall, "room"> & { readonly gone: AbortSignal } {
  return { ...call.context, room: call.room, gone: call.signal() };
}

/** Shows the HTML with the addresses of its inline images; scripts, forms and connections are switched off. */
async function showHtml(call: PeerCall, base: string, version: Version): Promise<HttpResponse> {
  const opened = await openMessage(contextOf(call), call.principal, requireId(call));
  const { message } = opened;
  const html = bodyOf(opened, "html");
  if (html === null && version === 3) return failure(404, "Email has no HTML content");
  const addresses = new Map(
    message.attachments.flatMap((attachment): readonly (readonly [string, string])[] => {
      const { contentId } = attachment;
      if (contentId === null) return [];
      return [[contentId.toLowerCase(), `${base}/${message.id}/attachment/${generatedFileName(attachment)}`]];
    }),
  );
  const headers = mailPageHeaders({ isRemoteAllowed: false, isDark: false });
  const shown = rewriteText(slicesOf(html ?? new Uint8Array()), linkImages(addresses));
  return { status: 200, headers, ...(await contentOfStream(shown, html?.byteLength ?? 0)) };
}

async function sendAttachment(call: PeerCall): Promise<HttpResponse> {
  const { name = "" } = call.params;
  const { attachments } = await requireHead(call, requireId(call));
  const found =
    attachments.find((attachment) => generatedFileName(attachment) === name) ??
    attachments.find(({ fileName }) => fileName === name);
  if (found === undefined) return failure(404, "File not found");
  const { bytes } = await getAttachment(contextOf(call), call.principal, found.id);
  return {
    status: 200,
    headers: {
      "content-type": safeMediaType(found.contentType),
      "content-disposition": attachmentDisposition(found.fileName),
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
    },
    body: [bytes],
  };
}

async function sendRaw(call: PeerCall, headers: HttpResponse["headers"]): Promise<HttpResponse> {
  const id = requireId(call);
  await requireMessage(call, id);
  const mail = await openMail(call.context, id);
  if (mail === undefined) throw new Problem("not_found");
  if (!call.isHead) await call.room.reserve(Math.min(2 * mail.sizeBytes, streamedBytes));
  const shown = { "content-type": "text/plain; charset=utf-8", ...headers };
  return { status: 200, headers: shown, body: null, stream: mail.read(), streamBytes: mail.sizeBytes };
}
