/** Mails as MailHog shows them, and its responses. */
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import { type HttpResponse, textResponse } from "../../http/http-response.ts";
import { streamedBytes } from "../../http/response-memory.ts";
import type { Context } from "../../operations/context.ts";
import { openMail } from "../../operations/mailboxes/open-mail.ts";
import { type MessageHead, readHeads } from "../../operations/messages/read-conversation.ts";
import { type JsonSegment, streamJson } from "../responses.ts";
import type { CatcherCall } from "../catcher.ts";
import { readingContext, readStructure, recipientsOf, senderOf } from "../received-message.ts";
import type { StructurePart, StructureRange } from "../../mime/structure/structure.ts";

/** Type of most responses with JSON. */
export const textJson = "text/json";

/** Returns 200 with a JSON value. */
export function json(value: unknown, contentType = "application/json"): HttpResponse {
  return textResponse(JSON.stringify(value), contentType);
}

/** Returns 200 with JSON that is produced while it is sent. */
export function streamed(
  segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>,
  contentType: string,
): HttpResponse {
  return { status: 200, headers: { "content-type": contentType }, body: null, stream: streamJson(segments) };
}

/** Values by the names of header fields. */
type HogHeaders = ReturnType<typeof readHeaders>;

/** Mail of a message. */
export interface HogMail {
  readonly id: MessageId;
  readonly message: Pick<Message, "from" | "to" | "cc" | "bcc" | "metadata">;
  readonly raw: Uint8Array;
  readonly content: Content;
  /** Host name of the service. */
  readonly host: string;
}

/** Copies of a mail in memory: its chunks while they are joined. */
const copies = 2;

/** Members of a call that reading mails needs. */
type ReadingCall = Pick<CatcherCall, "context" | "principal" | "signal" | "room">;

/**
 * Reserves memory for the largest of the mails, since each is in memory while it is sent; returns their heads in the requested
 * order, without those of deleted messages. Rejects as reservations do.
 */
export async function openHeads(call: ReadingCall, ids: readonly MessageId[]): Promise<readonly MessageHead[]> {
  const heads: MessageHead[] = [];
  let largest = 0;
  for await (const head of readHeads(readingContext(call), call.principal, ids)) {
    heads.push(head);
    largest = Math.max(largest, head.sizeBytes);
  }
  await call.room.reserve(copies * largest + streamedBytes);
  return heads;
}

/** Reads messages one at a time. Skips messages that were deleted meanwhile. Rejects as the inspector does. */
export async function* readMails(call: ReadingCall, heads: readonly MessageHead[]): AsyncGenerator<HogMail, void> {
  const { context } = call;
  for (const { id, detail } of heads) {
    const structure = await readStructure(call, id);
    const raw = structure === undefined ? undefined : await readRaw(context, id);
    if (structure === undefined || raw === undefined) continue;
    const content = contentOf(raw, structure.root);
    yield { id, message: detail.message, raw, content, host: context.settings.mailDomain };
  }
}

/** Returns the bytes of a mail without its last line end, as MailHog keeps them; undefined when the message no longer exists. */
export async function readRaw(context: Context, id: MessageId): Promise<Uint8Array | undefined> {
  const mail = await openMail(context, id);
  if (mail === undefined) return undefined;
  const bytes = Buffer.concat(await Array.fromAsync(mail.read()));
  return bytes.subarray(0, bytes.length - (bytes.at(-1) === 0x0a ? (bytes.at(-2) === 0x0d ? 2 : 1) : 0));
}

/** Yields the JSON of a message as MailHog writes it. */
export function* messageSegments({ id, message, raw, content, host }: HogMail): Generator<JsonSegment, void> {
  const [from, to, helo] = [senderOf(message), recipientsOf(message), message.metadata.ehlo ?? ""];
  const receivedAt = new Date(decodeMessageId(id).receivedAt);
  const trace = `from ${helo} by ${host} (restante)\r\n          id ${id}; ${receivedAt.toUTCString().replace("GMT", "+0000")}`;
  const headers = withTrace(readHeaders(content), { id, trace, from });
  yield `{"ID":${JSON.stringify(id)},"From":${JSON.stringify(pathOf(from))},"To":${JSON.stringify(to.map(pathOf))},"Content":`;
  yield* contentSegments({ ...content, parts: null }, headers);
  yield `,"Created":${JSON.stringify(receivedAt.toISOString())},"MIME":`;
  yield* partSegments(content.parts);
  yield `,"Raw":{"From":${JSON.stringify(from)},"To":${JSON.stringify(to)},"Data":"`;
  yield raw;
  yield `","Helo":${JSON.stringify(helo)}}}`;
}

/** Yields the JSON of a content; its header fields are read when their turn comes, so that those of one part are in memory. */
function* contentSegments(content: Content, headers: HogHeaders = readHeaders(content)): Generator<JsonSegment, void> {
  const { body, sizeBytes, parts } = content;
  yield `{"Headers":${JSON.stringify(headers)},"Body":"`;
  yield body;
  yield `","Size":${sizeBytes},"MIME":`;
  yield* partSegments(parts);
  yield "}";
}

function* partSegments(parts: readonly Content[] | null): Generator<JsonSegment, void> {
  if (parts === null) {
    yield "null";
    return;
  }
  yield '{"Parts":[';
  for (const [index, part] of parts.entries()) {
    if (index > 0) yield ",";
    yield* contentSegments(part);
  }
  yield "]}";
}

/** Returns the path of an SMTP envelope. */
function pathOf(address: string): Readonly<Record<string, string | null>> {
  const at = address.indexOf("@");
  if (at === -1) return { Relays: null, Mailbox: address, Domain: "", Params: "" };
  return { Relays: null, Mailbox: address.slice(0, at), Domain: address.slice(at + 1), Params: "" };
}

/** Returns the fields with those that MailHog adds on receipt. */
function withTrace(
  headers: HogHeaders,
  { id, trace, from }: Pick<HogMail, "id"> & { readonly trace: string; readonly from: string },
): HogHeaders {
  const fields = new Map(Object.entries(headers));
  const nameOf = (name: string): string | undefined => [...fields.keys()].find((one) => one.toLowerCase() === name);
  const append = (name: string, value: string): void => {
    const own = nameOf(name.toLowerCase()) ?? name;
    fields.set(own, [...(fields.get(own) ?? []), value]);
  };
  if (nameOf("message-id") === undefined) fields.set("Message-ID", [id]);
  append("Received", trace);
  append("Return-Path", `<${from}>`);
  return Object.fromEntries(fields);
}

/** Header section and body of a mail or a part. */
export interface Content {
  /** Header section; empty for texts outside of the parts. */
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly sizeBytes: number;
  /** Parts of a multipart, with the text before the first and after the last one; null for other contents. */
  readonly parts: readonly Content[] | null;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Returns the content of a part, and of the parts in it; their bytes are those of `raw`. */
export function contentOf(raw: Uint8Array, part: StructurePart): Content {
  const bytes = raw.subarray(part.header.start, part.body.end);
  return {
    head: raw.subarray(part.header.start, part.header.end),
    body: raw.subarray(part.body.start, part.body.end),
    sizeBytes: bytes.length,
    parts: part.type === "multipart" ? partsOf(raw, part) : null,
  };
}

/** Bytes of a header section whose fields are shown. */
const headBytesMax: number = 1024 * 1024;

/**
 * Returns the values of a header section by field names as written, of repeated fields the last one: unfolded, not decoded. Lines
 * that are no fields are left out. Linear in the section, of which the first MiB is read.
 */
export function readHeaders({ head }: Pick<Content, "head">): Readonly<Record<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, headBytesMax))
    .toString("utf8")
    .split(/\r\n|\n/)) {
    const colon = line.indexOf(": ");
    if (/^[ \t]/.test(line)) current?.push(line);
    else if (colon !== -1) {
      current = [line.slice(colon + 2)];
      fields.set(line.slice(0, colon), current);
    }
  }
  return Object.fromEntries([...fields].map(([name, lines]) => [name, [lines.join("")]]));
}

function partsOf(raw: Uint8Array, { parameters, children, body }: StructurePart): readonly Content[] {
  const [first] = children;
  const last = children.at(-1);
  if (first === undefined || last === undefined) return [];
  const delimiter = Buffer.from(`--${parameters.get("boundary") ?? ""}`, "utf8");
  const before = bufferOf(raw, { start: body.start, end: first.header.start });
  const after = bufferOf(raw, { start: last.body.end, end: body.end });
  const preamble = before.subarray(0, Math.max(0, before.lastIndexOf(delimiter)));
  const end = after.indexOf(delimiter);
  const epilogue = end === -1 ? after.subarray(0, 0) : after.subarray(end + delimiter.length);
  return [
    ...(preamble.length > 0 ? [textOf(preamble)] : []),
    ...children.map((child) => contentOf(raw, child)),
    ...(epilogue.length > 0 ? [textOf(epilogue)] : []),
  ];
}

/** Returns text outside of the parts, which MailHog lists as parts without header fields. */
function textOf(text: Uint8Array): Content {
  let [start, end] = [0, text.length];
  while (start < end && isLineEnd(text[start])) start += 1;
  while (end > start && isLineEnd(text[end - 1])) end -= 1;
  const body = text.subarray(start, end);
  return { head: body.subarray(0, 0), body, sizeBytes: body.length, parts: null };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

function bufferOf(raw: Uint8Array, { start, end }: StructureRange): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset + start, Math.max(0, Math.min(end, raw.length) - start));
}
