/** Part tree of a mail as Gmail shows it: `payload` of a message. */
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes, decodedLength } from "../../mime/body-content.ts";
import { decodeCharset } from "../../mime/charset.ts";
import { decodeEncodedWords } from "../../mime/encoded-word.ts";
import { fieldText, readHeaderSection } from "../../mime/header-section.ts";
import type { Part } from "../../mime/part.ts";
import { readPartTree } from "../../mime/part-tree.ts";
import { openSource } from "../../mime/source.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Header field as Gmail shows it. */
export interface PayloadHeader {
  readonly name: string;
  readonly value: string;
}

/** Returns base64url with padding, as Google writes bytes. */
export function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

/** Returns the whole part tree. Texts are in UTF-8 whatever their charset; contents of files are left to their attachment id. */
export function wholePayload(raw: Uint8Array): JsonObject {
  return partJson(raw, treeOf(raw), "");
}

/** Returns the type and header fields of a mail, all or those with the names (without case). */
export function headerPayload(raw: Uint8Array, names: readonly string[]): JsonObject {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const root = treeOf(raw);
  const headers = headersOf(raw, root).filter(({ name }) => wanted.size === 0 || wanted.has(name.toLowerCase()));
  return { mimeType: root.mediaType, headers };
}

/** Returns the decoded content of the file with an attachment id; undefined when the mail has none. */
export function readAttachment(raw: Uint8Array, id: string): Uint8Array | undefined {
  const place = placeOf(id);
  if (place === undefined) return undefined;
  let part: Part | undefined = treeOf(raw);
  for (const at of place) part = part?.children[at];
  return part === undefined || part.children.length > 0 ? undefined : decodeBytes(raw, part);
}

/** Beginning of attachment ids, which are opaque to applications; the rest is the place of the part. */
const attachmentPrefix = "ANGjdJ";

function attachmentIdOf(partId: string): string {
  return attachmentPrefix + Buffer.from(`part:${partId}`).toString("base64url");
}

/** Returns the positions of a part on the way from the root; undefined for anything that is no attachment id. */
function placeOf(id: string): readonly number[] | undefined {
  if (!id.startsWith(attachmentPrefix)) return undefined;
  const text = Buffer.from(id.slice(attachmentPrefix.length), "base64url").toString("latin1");
  const [, partId] = /^part:((?:\d{1,5}\.)*\d{1,5}|)$/.exec(text) ?? [];
  return partId === "" ? [] : partId?.split(".").map(Number);
}

function treeOf(raw: Uint8Array): Part {
  return readPartTree(openSource(raw, defaultLimits)).root;
}

function partJson(raw: Uint8Array, part: Part, partId: string): JsonObject {
  const { mediaType: mimeType, fileName, children } = part;
  const parts = children.map((child, at) => partJson(raw, child, partId === "" ? String(at) : `${partId}.${at}`));
  return {
    partId,
    mimeType,
    filename: fileName ?? "",
    headers: headersOf(raw, part),
    body: children.length > 0 ? { size: 0 } : bodyOf(raw, part, partId),
    ...(parts.length > 0 && { parts }),
  };
}

function bodyOf(raw: Uint8Array, part: Part, partId: string): JsonObject {
  const isText = part.mediaType.startsWith("text/") && (part.fileName ?? "") === "";
  if (!isText) return { attachmentId: attachmentIdOf(partId), size: decodedLength(raw, part) };
  const text = Buffer.from(decodeCharset(Buffer.from(decodeBytes(raw, part)), part.charset));
  return text.byteLength === 0 ? { size: 0 } : { size: text.byteLength, data: bytesText(text) };
}

function headersOf(raw: Uint8Array, { headerStart, headerEnd }: Part): readonly PayloadHeader[] {
  const { fields } = readHeaders(raw.subarray(0, headerEnd), headerStart);
  return fields.map(([name, text]) => ({ name, value: decodeEncodedWords(text) }));
}

/** Header section that begins at an offset, with the texts of its fields, and the offset behind it. */
export interface Headers {
  readonly fields: readonly (readonly [name: string, text: string])[];
  readonly bodyStart: number;
}

/** Reads a header section that begins at an offset. */
export function readHeaders(bytes: Uint8Array, start: number): Headers {
  const source = openSource(bytes, defaultLimits);
  const { fields, bodyStart } = readHeaderSection(source, start, () => false);
  return { fields: fields.map((field) => [field.name, fieldText(source, field)]), bodyStart };
}
