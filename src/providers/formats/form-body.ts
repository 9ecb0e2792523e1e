/** Bodies of forms that callbacks send. */
import { derivedHex } from "./callback-values.ts";

/** Field or file of a form. */
export interface FormPart {
  readonly name: string;
  /** Text in UTF-8, or bytes. */
  readonly value: string | Uint8Array;
  /** Present for files. */
  readonly file?: { readonly fileName: string; readonly contentType: string };
}

/** Returns fields by name as parts, in order; those that are null are left out. */
export function fieldParts(fields: Readonly<Record<string, FormPart["value"] | null>>): readonly FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

/** Body and its Content-Type. */
export interface WrittenForm {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Longest file name, in UTF-16 units; longer ones are cut, because receivers limit the header section of a part. */
const fileNameLengthMax = 1000;
const contentTypePattern = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/;

/**
 * Serialises `multipart/form-data` (RFC 7578) as browsers do: CR, LF and quotes of names are percent-encoded. The boundary
 * occurs in no part, and is the same for the same parts.
 */
export function writeMultipart(parts: readonly FormPart[]): WrittenForm {
  const contents = parts.map(({ value }) => (typeof value === "string" ? Buffer.from(value, "utf8") : asBuffer(value)));
  const boundary = findBoundary(contents);
  const chunks = parts.flatMap((part, at) => [
    Buffer.from(`--${boundary}\r\n${partHeader(part)}\r\n`, "utf8"),
    contents[at] ?? Buffer.alloc(0),
    Buffer.from("\r\n"),
  ]);
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** Serialises `application/x-www-form-urlencoded`; bytes are encoded as they are. */
export function writeUrlEncoded(parts: readonly FormPart[]): WrittenForm {
  const chunks = parts.flatMap(({ name, value }, at) => [
    Buffer.from(at === 0 ? "" : "&"),
    percentEncoded(name),
    Buffer.from("="),
    percentEncoded(value),
  ]);
  return { contentType: "application/x-www-form-urlencoded", body: Buffer.concat(chunks) };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function findBoundary(contents: readonly Buffer[]): string {
  for (let attempt = 0; ; attempt += 1) {
    const boundary = `xYzZY${derivedHex(24, attempt)}`;
    if (!contents.some((content) => content.includes(boundary))) return boundary;
  }
}

function partHeader({ name, file }: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"`;
  if (file === undefined) return `${disposition}\r\n`;
  const type = contentTypePattern.test(file.contentType) ? file.contentType : "application/octet-stream";
  return `${disposition}; filename="${quoted(file.fileName.slice(0, fileNameLengthMax))}"\r\nContent-Type: ${type}\r\n`;
}

function quoted(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters would end the header field
  return text.replaceAll(/["\u0000-\u001f\u007f]/g, (one) => `%${hexByte(one.charCodeAt(0))}`);
}

const percent = 0x25;
const hexDigits = Buffer.from("0123456789ABCDEF");
/** Byte → byte that stands for it in a form; 0 for those that are percent-encoded. */
const plainBytes = Uint8Array.from({ length: 256 }, (_none, byte) => {
  if (byte === 0x20) return 0x2b;
  return /[A-Za-z0-9*._-]/.test(String.fromCharCode(byte)) ? byte : 0;
});

function percentEncoded(value: string | Uint8Array): Buffer {
  const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : value;
  const encoded = Buffer.allocUnsafe(bytes.byteLength * 3);
  let end = 0;
  for (const byte of bytes) {
    const plain = plainBytes[byte] ?? 0;
    if (plain !== 0) encoded[end++] = plain;
    else {
      encoded[end++] = percent;
      encoded[end++] = hexDigits[byte >> 4] ?? 0;
      encoded[end++] = hexDigits[byte & 15] ?? 0;
    }
  }
  return encoded.subarray(0, end);
}

function hexByte(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}
