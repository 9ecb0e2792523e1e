/** Arrays of bytes in JSON, as SDKs write files that their language does not encode in base64. */
import { endOfString } from "../../core/read-json.ts";

/** Elements from which an array of bytes is replaced; shorter ones are few values. */
const elementCountMin = 256;

/**
 * Returns JSON whose long arrays of numbers from 0 to 255 are strings in base64: a file of a megabyte would be a million
 * values, more than a body may have. Linear; anything else is left as it is, whether or not it is JSON.
 */
export function withBytesAsBase64(json: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (let at = 0; at < json.length; at += 1) {
    if (json[at] === quote) at = endOfString(json, at + 1);
    else if (json[at] === openBracket) {
      const end = endOfByteArray(json, at);
      if (end === null) continue;
      pieces.push(json.subarray(copied, at), Buffer.from(`"${bytesOf(json, at, end).toString("base64")}"`));
      copied = end + 1;
      at = end;
    }
  }
  return pieces.length === 0 ? json : Buffer.concat([...pieces, json.subarray(copied)]);
}

const quote = 0x22;
const comma = 0x2c;
const zero = 0x30;
const nine = 0x39;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Returns the position of the bracket that ends a long array of bytes; null if there is no such array at `start`. */
function endOfByteArray(json: Uint8Array, start: number): number | null {
  let count = 0;
  for (let at = start + 1; ; at += 1) {
    at = afterBlanks(json, at);
    const end = endOfByte(json, at);
    if (end === at) return null;
    count += 1;
    at = afterBlanks(json, end);
    if (json[at] === closeBracket) return count >= elementCountMin ? at : null;
    if (json[at] !== comma) return null;
  }
}

/** Returns the end of a number from 0 to 255 without leading zeros; `start` if there is none. */
function endOfByte(json: Uint8Array, start: number): number {
  let end = start;
  let value = 0;
  for (; isDigit(json[end]) && value <= 255; end += 1) value = value * 10 + (json[end] ?? zero) - zero;
  return value > 255 || (json[start] === zero && end - start > 1) ? start : end;
}

/** Returns the elements of an array of bytes. */
function bytesOf(json: Uint8Array, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let count = 0;
  let value = 0;
  for (let at = start + 1; at <= end; at += 1) {
    const byte = json[at] ?? 0;
    if (isDigit(byte)) value = value * 10 + byte - zero;
    else if (byte === comma || byte === closeBracket) {
      bytes[count] = value;
      count += 1;
      value = 0;
    }
  }
  return bytes.subarray(0, count);
}

function isDigit(byte = 0): boolean {
  return byte >= zero && byte <= nine;
}

/** Returns the first position from `start` on that is no white space of JSON (RFC 8259 §2). */
function afterBlanks(json: Uint8Array, start: number): number {
  let at = start;
  for (let byte = json[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = json[at]) at += 1;
  return at;
}
