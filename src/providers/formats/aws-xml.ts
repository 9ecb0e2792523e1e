/** XML responses of the AWS Query protocol. */
import { randomUUID } from "node:crypto";
import type { ProviderResponse } from "../provider.ts";

/** Value of an element: null and undefined have none, an array has a `member` for each value, a map an `entry` for each pair. */
export type XmlValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | XmlObject
  | readonly XmlValue[]
  | ReadonlyMap<string, XmlValue>;

/** Elements by their names. */
export interface XmlObject {
  readonly [name: string]: XmlValue;
}

/** Characters that XML 1.0 §2.2 does not allow. */
const forbidden = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // Readers turn an unescaped CR into LF (XML 1.0 §2.11).
  "\r": "&#xD;",
};

/** Serialises an element; characters that XML cannot express become U+FFFD. */
function writeXml(name: string, value: XmlValue): string {
  return value === null || value === undefined ? "" : `<${name}>${contentOf(value)}</${name}>`;
}

function contentOf(value: Exclude<XmlValue, null | undefined>): string {
  if (typeof value !== "object") return escapeText(String(value));
  if (Array.isArray(value)) return (value as readonly XmlValue[]).map((one) => writeXml("member", one)).join("");
  if (!(value instanceof Map)) return writeAll(value as XmlObject);
  const entries = [...(value as ReadonlyMap<string, XmlValue>)];
  return entries.map(([key, one]) => writeXml("entry", { key, value: one })).join("");
}

function writeAll(elements: XmlObject): string {
  return Object.entries(elements)
    .map(([name, value]) => writeXml(name, value))
    .join("");
}

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, "\ufffd")
    .replaceAll(/[&<>"\r]/g, (character) => escapes[character] ?? character);
}

/** Returns the response to an action; a `result` of null has no result element. */
export function queryResponse(namespace: string, action: string, result: XmlObject | null): ProviderResponse {
  const requestId = randomUUID();
  const text = writeAll({ [`${action}Result`]: result, ResponseMetadata: { RequestId: requestId } });
  return xmlResponse(200, requestId, `<${action}Response xmlns="${namespace}">${text}</${action}Response>`);
}

/** Error of an action; `members` are further elements of the error. */
export interface QueryError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly members?: XmlObject | null;
}

/** Returns an error response; errors of the caller have the type `Sender`, failures of the service (5xx) `Receiver`. */
export function queryErrorResponse(
  namespace: string,
  { status, code, message, members = null }: QueryError,
): ProviderResponse {
  const requestId = randomUUID();
  const type = status < 500 ? "Sender" : "Receiver";
  const error = { Type: type, Code: code, Message: message, ...members };
  const text = writeAll({ Error: error, RequestId: requestId });
  return xmlResponse(status, requestId, `<ErrorResponse xmlns="${namespace}">${text}</ErrorResponse>`);
}

function xmlResponse(status: number, requestId: string, text: string): ProviderResponse {
  return { status, headers: { "x-amzn-requestid": requestId }, body: { contentType: "text/xml", text } };
}
