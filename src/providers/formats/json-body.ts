/** JSON bodies of mail providers, with bounds that keep hostile bodies cheap. */

/** JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Most nested arrays and objects; deeper values cannot be serialised again with a small stack. */
export const jsonDepthMax = 100;
/** Most values of a body; a request with 1000 recipients and 100 variables for each has fewer. */
export const jsonValueCountMax = 250_000;

const decoder = new TextDecoder("utf-8", { fatal: true });
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/**
 * Returns the JSON value of a body (RFC 8259); undefined for anything that is not JSON in UTF-8, that is nested deeper than
 * {@link jsonDepthMax} or that has more than {@link jsonValueCountMax} values. Takes linear time.
 */
export function readJson(body: Uint8Array): unknown {
  try {
    const text = decoder.decode(body);
    // A value takes at least one byte, so most bodies need not be searched.
    if (body.byteLength > jsonValueCountMax && !hasFewValues(text)) return undefined;
    const value = JSON.parse(text) as unknown;
    return isShallow(value, jsonDepthMax) ? value : undefined;
  } catch {
    // Not UTF-8 or not JSON; the parser's message quotes the body, so it is not forwarded.
    return undefined;
  }
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether a value has at most this many nested arrays and objects. */
function isShallow(value: unknown, depthMax: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depthMax > 0 && Object.values(value).every((member) => isShallow(member, depthMax - 1));
}

/** Counts brackets and separators outside of strings. */
function hasFewValues(text: string): boolean {
  let valueCount = 1;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at + 1);
    else if (unit === comma || unit === openBracket || unit === openBrace) valueCount += 1;
    if (valueCount > jsonValueCountMax) return false;
  }
  return true;
}

/** Returns the position of the quotation mark that ends the string with content from `start`; a search is faster than a loop. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - escapes - 1) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
