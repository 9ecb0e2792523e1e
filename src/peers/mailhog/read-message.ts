import { decodeMessageId, parseMessageId, type MessageId } from "../../core/ids.ts";
import { Problem } from "../../core/errors.ts";
import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import { safeMediaType } from "../../http/files/safe-media-type.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import { releaseMessage } from "../../operations/messages/release-message.ts";
import { callerOf } from "../../operations/services/security/caller-of.ts";
import { streamJson } from "../json-stream.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { readObject } from "../read-json.ts";
import { awaitDelivery } from "../await-delivery.ts";
import { readHeaders, type Content } from "./content.ts";
import { messageSegments, type HogMail } from "./message-segments.ts";
import { openHeads, readMails } from "./read-mails.ts";
import { empty, json, streamed, textJson } from "./responses.ts";

const path = "/api/v1/messages/:id";
const permission = "read";
/** Copies of a part in memory while it is decoded: in the mail, on the thread, and decoded. */
const decodedCopies = 3;

/** Routes of one message. */
export const messageRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path,
    permission,
    respond: async (call) => {
      const id = receivedId(call);
      const mail = id === undefined ? undefined : await readMail(call, id);
      // MailHog answers null for messages that it does not have.
      return mail === undefined ? json(null, textJson) : streamed(streamJson(messageSegments(mail)), textJson);
    },
  },
  {
    method: "GET",
    path: `${path}/download`,
    permission,
    respond: async (call) => {
      const id = requireId(call);
      const mail = await openMail(call.context, id);
      if (mail === undefined) throw new Problem("not_found");
      if (!call.isHead) await call.room.reserve(Math.min(2 * mail.sizeBytes, streamedBytes));
      const headers = { "content-type": "message/rfc822", "content-disposition": attachmentDisposition(`${id}.eml`) };
      return { status: 200, headers, body: null, stream: mail.read(), streamBytes: mail.sizeBytes };
    },
  },
  {
    method: "GET",
    path: `${path}/mime/part/:part/download`,
    permission,
    respond: async (call) => {
      const id = requireId(call);
      const number = call.params["part"] ?? "";
      const mail = await readMail(call, id);
      const part = /^\d{1,6}$/.test(number) ? mail?.content.parts?.[Number(number)] : undefined;
      if (part === undefined) throw new Problem("not_found");
      return await fileOf(call, part, `${id}-part-${number}`);
    },
  },
  {
    method: "POST",
    path: `${path}/release`,
    permission: "send",
    respond: async (call) => {
      const { context, principal } = call;
      const id = requireId(call);
      const to = (await readObject(call, context.limits.jsonBodyBytesMax)).text("Email");
      const sent = await releaseMessage({ ...context, gone: call.signal() }, principal, {
        id,
        to: [to],
        repeatKey: null,
      });
      // MailHog responds when the server has taken the mail, and with 500 when it has not.
      const delivery = await awaitDelivery(call, sent.message.id);
      return empty(delivery?.status === "Failed" ? 500 : 200);
    },
  },
];

/** Returns the id of the path. Throws `not_found` when it is none of a received message of the server. */
export function requireId(call: Pick<PeerCall, "params" | "server">): MessageId {
  const id = receivedId(call);
  if (id === undefined) throw new Problem("not_found");
  return id;
}

function receivedId({ params, server }: Pick<PeerCall, "params" | "server">): MessageId | undefined {
  const id = parseMessageId(params["id"] ?? "");
  if (id === undefined) return undefined;
  const parts = decodeMessageId(id);
  return parts.direction === "Received" && parts.server === server ? id : undefined;
}

async function readMail(call: PeerCall, id: MessageId): Promise<HogMail | undefined> {
  const heads = await openHeads(call, [id]).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return [];
    throw error;
  });
  const { value } = await readMails(call, heads).next();
  return value ?? undefined;
}

/** Returns a part as a file that no browser renders as a page; a large one is decoded in a worker process. */
async function fileOf(call: PeerCall, content: Content, name: string): Promise<HttpResponse> {
  const { context, principal, room } = call;
  const { body } = content;
  const headers = readHeaders(content);
  const field = (wanted: string): string =>
    Object.entries(headers).find(([one]) => one.toLowerCase() === wanted)?.[1][0] ?? "";
  const isBase64 = field("content-transfer-encoding").trim().toLowerCase() === "base64";
  const fileName = /filename="?([^";]+)/i.exec(field("content-disposition"))?.[1] ?? name;
  const part = { bodyStart: 0, bodyEnd: body.byteLength, transferEncoding: isBase64 ? "base64" : "identity" } as const;
  if (isBase64) await room.reserve(decodedCopies * body.byteLength);
  const bytes = await context.bodies.decode(
    { raw: isBase64 ? new Uint8Array(body) : body, part },
    callerOf(principal, { gone: call.signal() }),
  );
  return {
    status: 200,
    headers: {
      "content-type": safeMediaType(field("content-type")),
      "content-disposition": attachmentDisposition(fileName),
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
    },
    body: [bytes],
  };
}
