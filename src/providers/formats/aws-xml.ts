/** XML responses of the AWS Query protocol. */
import type { ProviderResponse } from "../provider.ts";

/** Element: its name and its text or children. */
export type XmlElement = readonly [name: string, content: string | readonly XmlElement[]];

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
export function writeXml([name, content]: XmlElement): string {
  const inner = typeof content === "string" ? escapeText(content) : content.map(writeXml).join("");
  return `<${name}>${inner}</${name}>`;
}

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(forbidden, "\ufffd")
    .replaceAll(/[&<>"\r]/g, (character) => escapes[character] ?? character);
}

/** Returns the elements of a list: `<member>` for each value. */
export function memberList(values: readonly (string | readonly XmlElement[])[]): readonly XmlElement[] {
  return values.map((value) => ["member", value]);
}

/** Returns the elements of a map: `<entry>` for each pair. */
export function mapEntries(pairs: readonly (readonly [key: string, value: XmlElement[1]])[]): readonly XmlElement[] {
  return pairs.map(([key, value]) => [
    "entry",
    [
      ["key", key],
      ["value", value],
    ],
  ]);
}

/** Namespace of an API, and the id of the request. */
export interface QueryContext {
  readonly namespace: string;
  readonly requestId: string;
}

/** Returns the response to an action; a `result` of null has no result element. */
export function queryResponse(
  { namespace, requestId }: QueryContext,
  action: string,
  result: readonly XmlElement[] | null,
): ProviderResponse {
  const metadata: XmlElement = ["ResponseMetadata", [["RequestId", requestId]]];
  const children = result === null ? [metadata] : [[`${action}Result`, result] as const, metadata];
  const text = children.map(writeXml).join("");
  return xmlResponse(200, requestId, `<${action}Response xmlns="${namespace}">${text}</${action}Response>`);
}

/** Error of an action; `members` are further elements of the error. */
export interface QueryError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly members?: readonly XmlElement[];
}

/** Returns an error response; errors of the caller have the type `Sender`, failures of the service (5xx) `Receiver`. */
export function queryErrorResponse(
  { namespace, requestId }: QueryContext,
  { status, code, message, members = [] }: QueryError,
): ProviderResponse {
  const type = status < 500 ? "Sender" : "Receiver";
  const error: XmlElement = ["Error", [["Type", type], ["Code", code], ["Message", message], ...members]];
  const text = writeXml(error) + writeXml(["RequestId", requestId]);
  return xmlResponse(status, requestId, `<ErrorResponse xmlns="${namespace}">${text}</ErrorResponse>`);
}

function xmlResponse(status: number, requestId: string, text: string): ProviderResponse {
  return { status, headers: { "x-amzn-requestid": requestId }, body: { contentType: "text/xml", text } };
}
