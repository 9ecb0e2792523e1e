import { notFound } from "../../core/errors.ts";
import { attachmentDisposition } from "../../http/files/content-disposition.ts";
import { safeMediaType } from "../../http/files/safe-media-type.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import type { PartText } from "../../mime/part.ts";
import { transferEncodingOfName } from "../../mime/part-fields.ts";
import { callerOf } from "../../operations/services/security/caller-of.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { slicesOf } from "../rewrite-text.ts";
import { openRaw, openStructure, openWhole, requireId } from "./open-message.ts";
import { allParts, numberParts, type NumberedPart } from "./part-list.ts";
import { textOf } from "./responses.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";

const path = "/api/messages/:id/part/:part";
const permission = "read";
/** Copies of a part in memory while it is decoded: on the thread, and decoded. */
const decodedCopies = 2;

const noFindings = { links: [], codes: [], body: null };
/** Results of an analysis, which makes reading a body a mere decoding. */
const analysed = { html: { ...noFindings, images: [] }, text: noFindings };

/** Contents of the parts of a message. */
export const partRoutes: readonly PeerRoute[] = [
  { method: "GET", path: `${path}/content`, permission, respond: sendContent },
  {
    method: "GET",
    path: `${path}/source`,
    permission,
    respond: async (call) => {
      const { structure, raw } = await openWhole(call, requireId(call));
      const { part } = findPart(call, structure);
      if (part.type === "multipart" || part.type === "message") return await sendEntity(call, structure);
      const place: PartText = {
        ...placeOf(part),
        charset: part.parameters.get("charset") ?? null,
        flow: "fixed",
      };
      await call.room.reserve(decodedCopies * (place.bodyEnd - place.bodyStart));
      const request = {
        raw,
        places: { htmlParts: [], textParts: [place] },
        known: analysed,
      };
      const { bodies, texts } = await call.context.bodies.readApart(request, callerOfCall(call));
      const text = texts.text ?? Buffer.from(bodies.text.body ?? "", "utf8");
      return await textOf(call, slicesOf(text), text.byteLength);
    },
  },
  {
    method: "GET",
    path: `${path}/raw`,
    permission,
    respond: async (call) => sendEntity(call, await openStructure(call, requireId(call))),
  },
];

/** Returns the part of the path. Throws `not_found`. */
function findPart({ params }: PeerCall, structure: MessageStructure): NumberedPart {
  for (const one of allParts(numberParts(structure))) if (String(one.number) === params["part"]) return one;
  throw notFound("Attachment");
}

function placeOf({ body, encoding }: NumberedPart["part"]): Omit<PartText, "charset" | "flow"> {
  return {
    bodyStart: body.start,
    bodyEnd: body.end,
    transferEncoding: transferEncodingOfName(encoding),
  };
}

function callerOfCall({ principal, signal }: PeerCall): ReturnType<typeof callerOf> {
  return callerOf(principal, { gone: signal() });
}

/** Sends the decoded content of a part as a file that no browser renders as a page; of a multipart its body as written. */
async function sendContent(call: PeerCall): Promise<HttpResponse> {
  const { structure, raw } = await openWhole(call, requireId(call));
  const { number, part, fileName, contentId } = findPart(call, structure);
  const place = placeOf(part);
  if (place.transferEncoding !== "identity") await call.room.reserve(decodedCopies * (place.bodyEnd - place.bodyStart));
  const bytes = await call.context.bodies.decode({ raw, part: place }, callerOfCall(call));
  return {
    status: 200,
    headers: {
      "content-type": safeMediaType(`${part.type}/${part.subtype}`),
      "content-disposition": attachmentDisposition(fileName ?? contentId ?? `part-${number}`),
      "content-security-policy": "default-src 'none'; sandbox",
      "cross-origin-resource-policy": "same-origin",
    },
    body: [bytes],
  };
}

/** Sends a part with its header section as written. */
async function sendEntity(call: PeerCall, structure: MessageStructure): Promise<HttpResponse> {
  const { part } = findPart(call, structure);
  const mail = await openRaw(call, requireId(call));
  const [first, end] = [part.header.start, part.body.end];
  if (!call.isHead) await call.room.reserve(Math.min(2 * (end - first), streamedBytes));
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return {
    status: 200,
    headers,
    body: null,
    stream: mail.read({ first, last: end - 1 }),
    streamBytes: end - first,
  };
}
