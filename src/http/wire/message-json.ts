/** JSON of full messages, written chunk by chunk when their texts are large. */
import type { OpenedMessage } from "../../operations/messages/get-message.ts";
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
