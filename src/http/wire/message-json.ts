/** JSON of full messages, written chunk by chunk when their texts are large. */
import type { OpenedMessage } from "../../operations/services/reading/get-message.ts";
import { type HttpResponse, jsonResponse, jsonStreamResponse } from "../http-response.ts";

/** Bytes of a large text that are written at a time: blocks the event loop for about a millisecond. */
const sliceBytes = 128 * 1024;
/** Bytes of a character after its first one (RFC 3629 §3). */
const continuationsMax = 3;

/** Returns whether a message is one chunk of JSON. */
export function isOnePiece({ texts }: OpenedMessage): boolean {
  return texts.html === null && texts.text === null;
}

/** Yields the JSON of a message, as one chunk when it has no large texts. */
export function* messageChunks({ message, texts }: OpenedMessage): Generator<Buffer, void> {
  let written = "{";
  for (const [name, value] of Object.entries(message)) {
    if (value === undefined) continue;
    if (written !== "{") written += ",";
    const large = name === "html" || name === "text" ? texts[name] : null;
    if (large === null) {
      written += `${JSON.stringify(name)}:${JSON.stringify(value)}`;
      continue;
    }
    const rest = JSON.stringify({ ...(value as object), body: undefined });
    yield Buffer.from(`${written}${JSON.stringify(name)}:${rest.slice(0, -1)},"body":"`, "utf8");
    yield* textChunks(large);
    // Never only "{", so that the comma before the next member is not forgotten.
    written = '"}';
  }
  yield Buffer.from(`${written}}`, "utf8");
}

/**
 * Yields the inside of a JSON string with a text in UTF-8, cut between characters. Bytes that are not UTF-8 become U+FFFD,
 * also more than one for a sequence that a cut divides.
 */
export function* textChunks(text: Uint8Array): Generator<Buffer, void> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let start = 0; start < bytes.length;) {
    const whole = Math.min(bytes.length, start + sliceBytes);
    let end = whole;
    while (end < bytes.length && whole - end < continuationsMax && isContinuation(bytes[end])) end -= 1;
    yield Buffer.from(JSON.stringify(bytes.toString("utf8", start, end)).slice(1, -1), "utf8");
    start = end;
  }
}

/** Returns whether a byte continues a character (RFC 3629 §3). */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns 200 with a message, which is written chunk by chunk when its texts are large. */
export function messageResponse(opened: OpenedMessage): HttpResponse {
  return isOnePiece(opened) ? jsonResponse(opened.message) : jsonStreamResponse(messageChunks(opened));
}

/** Encoding of lists: an array, as in the specification, or `{"items":[…]}`. Only this file chooses between them. */

const officialLibrary = /(?:^|\s)(?:mailosaur-[\w.+#-]+|cypress-mailosaur)\//i;

/**
 * Returns whether a request's User-Agent names an official library: a product `mailosaur-<language>` or
 * `cypress-mailosaur` (RFC 9110 §10.1.5), anywhere in the list, since HTTP layers append their own names.
 */
export function isOfficialLibrary(userAgent: string | undefined): boolean {
  return userAgent !== undefined && officialLibrary.test(userAgent);
}

/** `auto`: an array, and `{"items":[…]}` for the official libraries; the others force one form for all clients. */
export type ListEnvelope = "auto" | "array" | "items";

/**
 * Encodes a list for a client in chunks, so that the items are not copied. `itemsJson` is the JSON of the items, joined
 * by commas.
 */
export type ListEncoder = (itemsJson: Uint8Array, userAgent: string | undefined) => readonly Uint8Array[];

const array = { head: Buffer.from("["), tail: Buffer.from("]") };
const items = { head: Buffer.from('{"items":['), tail: Buffer.from("]}") };

/** Returns the encoder for the operator's choice. Responses that it writes vary with User-Agent. */
export function createListEncoder(envelope: ListEnvelope): ListEncoder {
  return (itemsJson, userAgent) => {
    const isWrapped = envelope === "auto" ? isOfficialLibrary(userAgent) : envelope === "items";
    const { head, tail } = isWrapped ? items : array;
    return [head, itemsJson, tail];
  };
}

/** Returns the JSON of items that are not stored as JSON, joined by commas. */
export function joinItems(items: readonly unknown[]): Uint8Array {
  return Buffer.from(items.map((item) => JSON.stringify(item)).join(","), "utf8");
}
