import { notFound } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import { transferEncodingOfName } from "../../mime/part-fields.ts";
import type { PartText } from "../../mime/part.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";
import { openMessage, type OpenedMessage } from "../../operations/services/reading/get-message.ts";
import { decodeDetail, type StoredDetail } from "../../operations/services/reading/stored-detail.ts";
import { callerOf } from "../../operations/services/security/access.ts";
import { catcherRoutes, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import {
  bodyOf,
  contentOfStream,
  streamedJson,
  plainHeaders,
  plainResponse,
  sendSource,
  fileResponse,
} from "../responses.ts";
import { linkImages, rewriteText, slicesOf } from "../rewrite-text.ts";
import { downloadMail, readingContext, readStructure, showMail, requireId, requireMail } from "../received-message.ts";
import { messageSegments, type WholeMessage, allParts, numberParts, type NumberedPart } from "./message-segments.ts";

const path = "/api/messages/:id";
/** Copies of a mail in memory: its chunks while they are joined. */
const copies = 2;

/** Routes of one message. None of them marks it as read. */
export const messageRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${path}`]: async (call) => {
    const id = requireId(call);
    const detail = await openDetail(call, id);
    return streamedJson(messageSegments({ ...(await openWhole(call, id)), id, detail, limits: call.context.limits }));
  },
  [`GET ${path}/raw`]: showMail,
  [`GET ${path}/download`]: downloadMail,
  [`GET ${path}/source`]: async (call) => {
    const opened = await openBodies(call);
    const source = bodyOf(opened, "html") ?? bodyOf(opened, "text") ?? new Uint8Array();
    return textOf(call, slicesOf(source), source.byteLength);
  },
  [`GET ${path}/plaintext`]: async (call) => {
    const text = bodyOf(await openBodies(call), "text");
    if (text === null) return plainResponse(404, "MIME message does not have a plain text body");
    return textOf(call, slicesOf(text), text.byteLength);
  },
  [`GET ${path}/html`]: async (call) => {
    const html = bodyOf(await openBodies(call), "html");
    if (html === null) return plainResponse(404, "Message does not have a HTML body");
    return textOf(call, rewriteText(slicesOf(html), linkImages(await imageAddresses(call))), html.byteLength);
  },
});

async function openBodies(call: CatcherCall): Promise<OpenedMessage> {
  return openMessage(readingContext(call), call.principal, requireId(call));
}

/** Returns the addresses of parts by lower-case Content-IDs, relative to the root as smtp4dev writes them. */
async function imageAddresses(call: CatcherCall): Promise<ReadonlyMap<string, string>> {
  const id = requireId(call);
  const addresses = new Map<string, string>();
  for (const { number, contentId } of allParts(numberParts(await openStructure(call, id)))) {
    const key = contentId?.toLowerCase();
    if (key !== undefined && !addresses.has(key)) addresses.set(key, `api/Messages/${id}/part/${number}/content`);
  }
  return addresses;
}

/** Returns the stored facts about a message. Rejects with `not_found`. */
async function openDetail({ context }: Pick<CatcherCall, "context">, id: MessageId): Promise<StoredDetail> {
  const bytes = await context.store.getDetail(id);
  if (bytes === undefined) throw notFound("Message");
  return decodeDetail(bytes);
}

/** Returns the part tree of a mail, a large one from the process of the inspector. Rejects with `not_found`, and as the inspector does. */
async function openStructure(call: CatcherCall, id: MessageId): Promise<MessageStructure> {
  const structure = await readStructure(call, id);
  if (structure === undefined) throw notFound("Message");
  return structure;
}

/** Reads a mail into memory, which is reserved, with its part tree. Rejects with `not_found`, and as reservations do. */
async function openWhole(call: CatcherCall, id: MessageId): Promise<Pick<WholeMessage, "raw" | "structure">> {
  const structure = await openStructure(call, id);
  const mail = await requireMail(call, id);
  await call.room.reserve(copies * mail.sizeBytes + streamedBytes);
  return { structure, raw: Buffer.concat(await Array.fromAsync(mail.read())) };
}

/**
 * Returns a text in UTF-8, which is produced while it is sent; as a string of JSON for clients that accept nothing else, as
 * generated ones do.
 */
async function textOf(
  { headers }: Pick<CatcherCall, "headers">,
  slices: Iterable<Uint8Array>,
  sizeBytes: number,
): Promise<HttpResponse> {
  const accepted = headers.accept ?? "*/*";
  if (/application\/json/i.test(accepted) && !/\*\/\*|text\/plain/i.test(accepted))
    return streamedJson(['"', slices, '"']);
  return { status: 200, headers: plainHeaders, ...(await contentOfStream(slices, sizeBytes)) };
}

const partPath = "/api/messages/:id/part/:part";
/** Copies of a part in memory while it is decoded: on the thread, and decoded. */
const decodedCopies = 2;

const noFindings = { links: [], codes: [], body: null };
/** Results of an analysis, which makes reading a body a mere decoding. */
const analysed = { html: { ...noFindings, images: [] }, text: noFindings };

/** Contents of the parts of a message. */
export const partRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${partPath}/content`]: sendContent,
  [`GET ${partPath}/source`]: sendText,
  [`GET ${partPath}/raw`]: async (call) => sendEntity(call, await openStructure(call, requireId(call))),
});

/** Returns the part of the path. Throws `not_found`. */
function findPart({ params }: CatcherCall, structure: MessageStructure): NumberedPart {
  for (const one of allParts(numberParts(structure))) if (String(one.number) === params["part"]) return one;
  throw notFound("Attachment");
}

function placeOf({ body, encoding }: NumberedPart["part"]): Omit<PartText, "charset" | "flow"> {
  return { bodyStart: body.start, bodyEnd: body.end, transferEncoding: transferEncodingOfName(encoding) };
}

/** Sends the text of a part; of a part that has others its source. */
async function sendText(call: CatcherCall): Promise<HttpResponse> {
  const { structure, raw } = await openWhole(call, requireId(call));
  const { part } = findPart(call, structure);
  if (part.type === "multipart" || part.type === "message") return sendEntity(call, structure);
  const charset = part.parameters.get("charset") ?? null;
  const place: PartText = { ...placeOf(part), charset, flow: "fixed" };
  await call.room.reserve(decodedCopies * (place.bodyEnd - place.bodyStart));
  const request = { raw, places: { htmlParts: [], textParts: [place] }, known: analysed };
  const { bodies, texts } = await call.context.bodies.readApart(
    request,
    callerOf(call.principal, readingContext(call)),
  );
  const text = texts.text ?? Buffer.from(bodies.text.body ?? "", "utf8");
  return textOf(call, slicesOf(text), text.byteLength);
}

/** Sends the decoded content of a part as a file that no browser renders as a page; of a multipart its body as written. */
async function sendContent(call: CatcherCall): Promise<HttpResponse> {
  const { structure, raw } = await openWhole(call, requireId(call));
  const { number, part, fileName, contentId } = findPart(call, structure);
  const place = placeOf(part);
  if (place.transferEncoding !== "identity") await call.room.reserve(decodedCopies * (place.bodyEnd - place.bodyStart));
  const caller = callerOf(call.principal, readingContext(call));
  const bytes = await call.context.bodies.decode({ raw, part: place }, caller);
  return fileResponse(fileName ?? contentId ?? `part-${number}`, `${part.type}/${part.subtype}`, bytes);
}

/** Sends a part with its header section as written. */
async function sendEntity(call: CatcherCall, structure: MessageStructure): Promise<HttpResponse> {
  const { part } = findPart(call, structure);
  const range = { first: part.header.start, last: part.body.end - 1 };
  return sendSource(call, await requireMail(call, requireId(call)), { headers: plainHeaders, range });
}
