import { withoutComments } from "../core/mail-date.ts";
import { decodeEncodedWords } from "./encoded-word.ts";
import { type HeaderSection, type RawField, structuredText } from "./header-section.ts";
import { parseStructuredValue, type StructuredValue } from "./parameters.ts";
import type { Part, TransferEncoding } from "./part.ts";
import type { Source } from "./source.ts";

/** Properties of a part that its header section declares. */
export type PartFields = Pick<
  Part,
  "mediaType" | "parameters" | "charset" | "flow" | "transferEncoding" | "disposition" | "fileName" | "contentId"
>;

const mediaTypePattern = /^[\w!#$%&'*+.^`{|}~-]{1,127}\/[\w!#$%&'*+.^`{|}~-]{1,127}$/;
const identityNames = new Set(["", "7bit", "8bit", "binary", "7-bit", "8-bit", "none"]);
const encodings: ReadonlyMap<string, TransferEncoding> = new Map([
  ["base64", "base64"],
  ["quoted-printable", "quoted-printable"],
  // `quoted printable`: blanks are removed before the look-up.
  ["quotedprintable", "quoted-printable"],
  ["x-uuencode", "uuencode"],
  ["uuencode", "uuencode"],
  ["x-uue", "uuencode"],
  ["uue", "uuencode"],
]);
const absent: StructuredValue = { value: "", parameters: new Map() };

/** Returns the content fields of a section by their lower-case names; the first of repeated ones is used. */
export function contentFields(section: HeaderSection): ReadonlyMap<string, RawField> {
  const fields = new Map<string, RawField>();
  for (const field of section.fields) {
    if (field.name.length < 10 || !/^content-/i.test(field.name)) continue;
    const name = field.name.toLowerCase();
    if (!fields.has(name)) fields.set(name, field);
  }
  return fields;
}

/** Reads the content fields (RFC 2045 §3, RFC 2183) of a part. */
export function readPartFields(source: Source, section: HeaderSection, defaultMediaType: string): PartFields {
  const fields = contentFields(section);
  const contentType = structured(source, fields.get("content-type"));
  const declared = structured(source, fields.get("content-disposition"));
  const disposition = dispositionOf(declared.value);
  const fileName = nonEmpty(
    declared.parameters.get("filename"),
    // Some senders confuse the parameter names of the two fields.
    declared.parameters.get("name"),
    contentType.parameters.get("name"),
    contentType.parameters.get("filename"),
  );
  const isFile = disposition === "attachment" || fileName !== null;
  const mediaType = contentType === absent ? defaultMediaType : mediaTypeOf(source, contentType, isFile);
  return {
    mediaType,
    parameters: contentType.parameters,
    charset: nonEmpty(contentType.parameters.get("charset")?.trim().toLowerCase()),
    flow: mediaType === "text/plain" ? flowOf(contentType.parameters) : "fixed",
    transferEncoding: transferEncodingOf(source, fields.get("content-transfer-encoding")),
    disposition,
    fileName,
    contentId: contentIdOf(source, fields.get("content-id")),
  };
}

function flowOf(parameters: StructuredValue["parameters"]): Part["flow"] {
  if (parameters.get("format")?.toLowerCase() !== "flowed") return "fixed";
  return parameters.get("delsp")?.toLowerCase() === "yes" ? "flowed-delsp" : "flowed";
}

function structured(source: Source, field: RawField | undefined): StructuredValue {
  return field === undefined ? absent : parseStructuredValue(structuredText(source, field), source.defects);
}

/** Returns the media type; an invalid one is text (RFC 2045 §5.2), unless the part is a file. */
function mediaTypeOf(source: Source, contentType: StructuredValue, isFile: boolean): string {
  const declared = contentType.value.replaceAll(/\s+/g, "");
  if (mediaTypePattern.test(declared)) return declared;
  source.defects.add("invalid_content_type");
  if (contentType.parameters.has("boundary")) return "multipart/mixed";
  const isText = declared === "text" || declared === "text/";
  return isFile && !isText ? "application/octet-stream" : "text/plain";
}

/** Reads the token that a Content-Disposition begins with (RFC 2183 §2), also in quotes; without one there is no disposition. */
function dispositionOf(value: string): Part["disposition"] {
  const [, token] = /^"?([\w!#$%&'*+.^`{|}~-]+)/.exec(value) ?? [];
  if (token === undefined) return null;
  return token === "inline" ? "inline" : "attachment";
}

function transferEncodingOf(source: Source, field: RawField | undefined): TransferEncoding {
  if (field === undefined) return "identity";
  const name = encodingName(source, field);
  if (!encodings.has(name) && !identityNames.has(name)) source.defects.add("unknown_transfer_encoding");
  return transferEncodingOfName(name);
}

/** Returns the transfer encoding of a name in lower case; `identity` for unknown ones. */
export function transferEncodingOfName(name: string): TransferEncoding {
  return encodings.get(name) ?? "identity";
}

/** Returns the transfer encoding that a field declares, in lower case; "" if there is none. */
export function encodingName(source: Source, field: RawField): string {
  return withoutComments(structuredText(source, field))
    .replaceAll(/[\s";]+/g, "")
    .toLowerCase();
}

function contentIdOf(source: Source, field: RawField | undefined): string | null {
  if (field === undefined) return null;
  const text = decodeEncodedWords(structuredText(source, field));
  return nonEmpty(text.replace(/^</, "").replace(/>$/, "").trim());
}

function nonEmpty(...texts: (string | undefined)[]): string | null {
  return texts.find((text) => text !== undefined && text !== "") ?? null;
}
