import { notFound } from "../../core/errors.ts";
import type { HttpResponse } from "../../http/http-response.ts";
import type { PartText } from "../../mime/part.ts";
import { transferEncodingOfName } from "../../mime/part-fields.ts";
import type { MessageStructure } from "../../mime/structure/structure.ts";
import { callerOf } from "../../operations/services/security/access.ts";
import { type CatcherCall, type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { readingContext, requireId, requireMail } from "../received-message.ts";
import { fileResponse, plainHeaders, sendSource } from "../responses.ts";
import { slicesOf } from "../rewrite-text.ts";
import { allParts, type NumberedPart, numberParts } from "./part-list.ts";
import { openStructure, openWhole, textOf } from "./read-message.ts";

const path = "/api/messages/:id/part/:part";
/** Copies of a part in memory while it is decoded: on the thread, and decoded. */
const decodedCopies = 2;

const noFindings = { links: [], codes: [], body: null };
/** Results of an analysis, which makes reading a body a mere decoding. */
const analysed = { html: { ...noFindings, images: [] }, text: noFindings };

/** Contents of the parts of a message. */
export const partRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${path}/content`]: sendContent,
  [`GET ${path}/source`]: sendText,
  [`GET ${path}/raw`]: async (call) => sendEntity(call, await openStructure(call, requireId(call))),
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
