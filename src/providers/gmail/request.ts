/** Bodies of requests: JSON, and mails as `raw` in base64url or as simple, multipart and resumable uploads. */
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes } from "../../mime/body-content.ts";
import type { Part } from "../../mime/part.ts";
import { readPartTree } from "../../mime/part-tree.ts";
import { openSource } from "../../mime/source.ts";
import { fieldOf } from "../formats/form.ts";
import { type JsonObject, readJsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Members, type MemberRules } from "../kit/members.ts";
import { type ContentRange, readContentRange, Uploads } from "../kit/uploads.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { invalidArgument, invalidPayload, notFoundEntity, tooLarge } from "./errors.ts";
import { mailBytesMax } from "./provider.ts";
import { openUser, type User } from "./user.ts";

const types = {
  string: "TYPE_STRING",
  boolean: "TYPE_BOOL",
  array: "TYPE_MESSAGE",
  object: "TYPE_MESSAGE",
  value: "TYPE_BYTES",
};

/** Rules of Google's APIs about members of JSON. */
const rules: MemberRules = {
  wrongType: (name, type) => invalidPayload(`Invalid value at '${name}' (${types[type]})`),
};

/** Returns the members of a JSON body; none for an empty one. */
export function readBody(body: Uint8Array): Members {
  const json = body.byteLength === 0 ? {} : readJsonObject(body);
  if (json === undefined) throw invalidPayload("Invalid JSON payload received. Unexpected token.");
  return new Members(json, rules);
}

/** Returns the texts of an array; none for an absent one. */
export function textsOf(members: Members, name: string): readonly string[] {
  return members.list(name).map((one) => {
    if (typeof one !== "string") throw rules.wrongType(name, "string");
    return one;
  });
}

/** Mail of a request, and the JSON beside it. */
export interface GivenMail {
  readonly members: Members;
  /** Null without one. */
  readonly raw: Uint8Array | null;
}

/** Returns the mail of a JSON message; null without one. */
export function rawOf(message: Members): Uint8Array | null {
  const text = message.text("raw");
  if (text === null || text === "") return null;
  if (!/^[\w+/-]*={0,2}$/.test(text)) throw rules.wrongType("raw", "value");
  return Buffer.from(text, "base64");
}

/** Returns the JSON of the response to a request with a mail. */
type MailHandler = (user: User, mail: GivenMail) => Promise<JsonObject>;

/** Returns the handler of an endpoint that is also served below `/upload`; the body of others is JSON without the mail. */
export function withMail(handler: MailHandler): Handler {
  return async (call) => {
    const given = await givenMail(call);
    return "status" in given ? given : jsonResponse(200, await handler(await openUser(call), given));
  };
}

/** Returns the mail of a request; the response to one that is only a part of an upload. */
async function givenMail(call: Call): Promise<GivenMail | ProviderResponse> {
  const { path, fields, body } = call.request;
  if (!path.startsWith("/upload/")) return { members: readBody(body), raw: null };
  const upload = fieldOf(fields, "upload_id");
  if (upload !== undefined) return continueUpload(call, upload);
  const type = fieldOf(fields, "uploadType");
  if (type === "resumable") return openUpload(call);
  if (type === "multipart") return relatedMail(call.request);
  if (type !== "media") throw invalidArgument("Invalid uploadType. Use media, multipart or resumable.");
  return { members: new Members({}, rules), raw: checkedMail(contentTypeOf(call.request), body) };
}

function contentTypeOf({ headers }: Pick<ProviderRequest, "headers">): string {
  return headers["content-type"] ?? "";
}

/** Returns a mail of an upload; throws for another media type and for one that is too large. */
function checkedMail(contentType: string, raw: Uint8Array): Uint8Array {
  const [type = ""] = contentType.split(";");
  if (!/^message\/[\w.+-]+$/i.test(type.trim())) {
    throw invalidArgument(`Media type '${type.trim().slice(0, 100)}' is not supported. Valid media types: [message/*]`);
  }
  if (raw.byteLength > mailBytesMax) throw tooLarge();
  return raw;
}

/** Returns the parts of a multipart body, undecoded, and the bytes in which they are. */
export function partsOf({ headers, body }: Pick<ProviderRequest, "headers" | "body">): {
  readonly whole: Uint8Array;
  readonly parts: readonly Part[];
} {
  const contentType = contentTypeOf({ headers }).replaceAll(/[\r\n]/g, " ");
  const whole = Buffer.concat([Buffer.from(`Content-Type: ${contentType}\r\n\r\n`), body]);
  return { whole, parts: readPartTree(openSource(whole, defaultLimits)).root.children };
}

/** Reads a body of `multipart/related`: JSON, then the mail. */
function relatedMail(request: ProviderRequest): GivenMail {
  const { whole, parts } = partsOf(request);
  const [json, mail] = parts;
  if (json === undefined || mail === undefined) throw invalidPayload("Multipart body must contain JSON and media.");
  return { members: readBody(decodeBytes(whole, json)), raw: checkedMail(mail.mediaType, decodeBytes(whole, mail)) };
}

/** Uploads, and the JSON and media type of the requests that opened them. */
function uploadsOf({ session, services }: Call): Uploads<Readonly<Record<"json" | "contentType", string>>> {
  return new Uploads(session, "upload", services.now);
}

async function openUpload(call: Call): Promise<ProviderResponse> {
  const { headers, body, url } = call.request;
  const declared = headers["x-upload-content-type"];
  const contentType = typeof declared === "string" ? declared : "message/rfc822";
  checkedMail(contentType, new Uint8Array());
  if (Number(headers["x-upload-content-length"] ?? 0) > mailBytesMax) throw tooLarge();
  readBody(body);
  const id = crypto.randomUUID();
  await uploadsOf(call).open(id, { json: Buffer.from(body).toString("utf8"), contentType });
  return { status: 200, headers: { location: `${url}&upload_id=${id}`, "x-guploader-uploadid": id }, body: null };
}

async function continueUpload(call: Call, id: string): Promise<GivenMail | ProviderResponse> {
  const { body } = call.request;
  const uploads = uploadsOf(call);
  const { start, total } = rangeOf(call.request);
  const before = await uploads.find(id);
  if (before === undefined) throw notFoundEntity();
  const { json, contentType } = before.facts;
  if (Math.max(total ?? 0, before.receivedBytes + body.byteLength) > mailBytesMax) throw tooLarge();
  const isWhole = before.receivedBytes === 0 && start === 0 && total === body.byteLength;
  const range = { start: start ?? before.receivedBytes, bytes: body };
  const upload = isWhole ? before : ((await uploads.append(id, range)) ?? before);
  if (isWhole || upload.receivedBytes === total) {
    const raw = await uploads.take(id, upload);
    return { members: readBody(Buffer.from(json)), raw: checkedMail(contentType, isWhole ? body : raw) };
  }
  return incomplete(id, upload.receivedBytes);
}

function incomplete(id: string, receivedBytes: number): ProviderResponse {
  const range = receivedBytes === 0 ? {} : { range: `bytes=0-${receivedBytes - 1}` };
  return { status: 308, headers: { ...range, "x-guploader-uploadid": id }, body: null };
}

/** Reads Content-Range; without one the body is the rest. `start` is null for a question about what has arrived. */
function rangeOf(request: ProviderRequest): ContentRange {
  if (request.headers["content-range"] === undefined) return { start: 0, total: request.body.byteLength };
  const range = readContentRange(request);
  if (range === undefined) throw invalidArgument("Failed to parse Content-Range header.");
  return range;
}
