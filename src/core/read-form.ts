/** Reader of forms: bodies and query strings of providers and other mail catchers in `application/x-www-form-urlencoded`. */
import { bodyNameBytesMax, formFieldCountMax } from "./arrival-rate.ts";
import { Problem } from "./errors.ts";
import { mainTurns } from "./shared-turns.ts";

// Long computations in steps of some milliseconds, which run at once or in turns of the event loop.

/** Computation that yields between its steps and returns its result. */
export type Steps<Result> = Generator<void, Result>;

/** Runs all steps in this turn of the event loop. Throws as they do. */
function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps in turns of the event loop that they share with all other work of the main thread. Rejects as they throw. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await mainTurns.next();
  }
}

/** Fields of a form body or of a query string, in order; names may repeat. */
export type FormFields = readonly (readonly [name: string, value: string])[];

/** Bytes that are decoded in one step; they take a millisecond. */
const stepBytes = 256 * 1024;

const ampersand = 0x26;
const equals = 0x3d;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/**
 * Parses `application/x-www-form-urlencoded`. Throws `body_too_large`, whose text names the limit, for more than
 * {@link formFieldCountMax} fields or a name longer than {@link bodyNameBytesMax}.
 */
export function readForm(body: Uint8Array | string): FormFields {
  return atOnce(readFields(typeof body === "string" ? Buffer.from(body, "utf8") : body));
}

/** As {@link readForm}, and leaves turns of the event loop to others while it reads a large body. */
export async function readFormInTurns(body: Uint8Array): Promise<FormFields> {
  return inTurns(readFields(body));
}

function* readFields(body: Uint8Array): Steps<FormFields> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fields: (readonly [string, string])[] = [];
  let fieldCount = 0;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(ampersand, start);
    const end = found === -1 ? bytes.length : found;
    fieldCount += 1;
    if (fieldCount > formFieldCountMax) throw tooLarge(`The form has more than ${formFieldCountMax} fields`);
    if (end > start) {
      const mark = bytes.subarray(start, end).indexOf(equals);
      const nameEnd = mark === -1 ? end : start + mark;
      const name = yield* decodeFormText(bytes.subarray(start, nameEnd));
      if (name.length > bodyNameBytesMax) {
        throw tooLarge(`The name of a form field is longer than ${bodyNameBytesMax} characters`);
      }
      fields.push([name, yield* decodeFormText(bytes.subarray(nameEnd + 1, end))]);
    }
    start = end + 1;
    yield;
  }
  return fields;
}

/** Values of hexadecimal digits by their code; 256 for other bytes. */
const hexDigits: Uint16Array = Uint16Array.from({ length: 256 }, (_, byte) => {
  const value = "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase());
  return value === -1 ? 256 : value;
});

/**
 * Decodes a name or a value of a form, in steps; a percent sign without two hex digits stands for itself, and bytes that are
 * not UTF-8 become U+FFFD.
 */
export function* decodeFormText(text: Buffer): Steps<string> {
  if (text.length <= stepBytes) return decodePercent(text).toString("utf8");
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = pieceEnd(text, Math.min(text.length, start + stepBytes));
    pieces.push(decoder.decode(decodePercent(text.subarray(start, end)), { stream: true }));
    start = end;
    yield;
  }
  pieces.push(decoder.decode());
  return pieces.join("");
}

/** Returns the end of a piece that does not divide a percent sign from its digits. */
function pieceEnd(text: Buffer, end: number): number {
  if (end < text.length && text[end - 1] === percent) return end - 1;
  return end < text.length && text[end - 2] === percent ? end - 2 : end;
}

function decodePercent(text: Buffer): Buffer {
  if (!text.includes(percent) && !text.includes(plus)) return text;
  const decoded = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let position = 0; position < text.length; position += 1) {
    const byte = text[position] ?? 0;
    const pair = byte === percent ? hexPair(text, position + 1) : 256;
    if (pair < 256) position += 2;
    decoded[length] = pair < 256 ? pair : byte === plus ? space : byte;
    length += 1;
  }
  return decoded.subarray(0, length);
}

/** Returns the value of two hexadecimal digits; 256 or more without them. */
function hexPair(text: Buffer, position: number): number {
  const high = hexDigits[text[position] ?? 256] ?? 256;
  const low = hexDigits[text[position + 1] ?? 256] ?? 256;
  return high * 16 + low;
}

function tooLarge(text: string): Problem {
  return new Problem("body_too_large", { text });
}
