import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import type { HttpResponse, HttpResponseHeaders } from "../../http/http-response.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import { openMessage, type OpenedMessage } from "../../operations/messages/get-message.ts";
import { bodyOf } from "../json-stream.ts";
import { linkImages } from "../link-images.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { rewriteText, slicesOf } from "../rewrite-text.ts";
import { messageSegments } from "./message-segments.ts";
import { openDetail, openRaw, openStructure, openWhole, requireId } from "./open-message.ts";
import { allParts, numberParts } from "./part-list.ts";
import { failure, streamed, textOf } from "./responses.ts";

const path = "/api/messages/:id";
const permission = "read";
const plain: HttpResponseHeaders = {
  "content-type": "text/plain; charset=utf-8",
};

/** Routes of one message. None of them marks it as read. */
export const messageRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path,
    permission,
    respond: async (call) => {
      const id = requireId(call);
      const detail = await openDetail(call, id);
      const opened = await openWhole(call, id);
      return streamed(messageSegments({ ...opened, id, detail, limits: call.context.limits }));
    },
  },
  {
    method: "GET",
    path: `${path}/raw`,
    permission,
    respond: async (call) => sendRaw(call, plain),
  },
  {
    method: "GET",
    path: `${path}/download`,
    permission,
    respond: async (call) => {
      const disposition = attachmentDisposition(`${requireId(call)}.eml`);
      return await sendRaw(call, {
        "content-type": "message/rfc822",
        "content-disposition": disposition,
      });
    },
  },
  {
    method: "GET",
    path: `${path}/source`,
    permission,
    respond: async (call) => {
      const opened = await openBodies(call);
      const source = bodyOf(opened, "html") ?? bodyOf(opened, "text") ?? new Uint8Array();
      return await textOf(call, slicesOf(source), source.byteLength);
    },
  },
  {
    method: "GET",
    path: `${path}/plaintext`,
    permission,
    respond: async (call) => {
      const text = bodyOf(await openBodies(call), "text");
      if (text === null) return failure(404, "MIME message does not have a plain text body");
      return await textOf(call, slicesOf(text), text.byteLength);
    },
  },
  {
    method: "GET",
    path: `${path}/html`,
    permission,
    respond: async (call) => {
      const html = bodyOf(await openBodies(call), "html");
      if (html === null) return failure(404, "Message does not have a HTML body");
      const shown = rewriteText(slicesOf(html), linkImages(await imageAddresses(call)));
      return await textOf(call, shown, html.byteLength);
    },
  },
];

async function openBodies(call: PeerCall): Promise<OpenedMessage> {
  const context = { ...call.context, room: call.room, gone: call.signal() };
  return await openMessage(context, call.principal, requireId(call));
}

/** Returns the addresses of parts by lower-case Content-IDs, relative to the root as smtp4dev writes them. */
async function imageAddresses(call: PeerCall): Promise<ReadonlyMap<string, string>> {
  const id = requireId(call);
  const addresses = new Map<string, string>();
  for (const { number, contentId } of allParts(numberParts(await openStructure(call, id)))) {
    const key = contentId?.toLowerCase();
    if (key !== undefined && !addresses.has(key)) addresses.set(key, `api/Messages/${id}/part/${number}/content`);
  }
  return addresses;
}

async function sendRaw(call: PeerCall, headers: HttpResponseHeaders): Promise<HttpResponse> {
  const mail = await openRaw(call, requireId(call));
  if (!call.isHead) await call.room.reserve(Math.min(2 * mail.sizeBytes, streamedBytes));
  return {
    status: 200,
    headers,
    body: null,
    stream: mail.read(),
    streamBytes: mail.sizeBytes,
  };
}
