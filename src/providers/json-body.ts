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

/**
 * Returns the JSON value of a body (RFC 8259); undefined for anything that is not JSON in UTF-8, that is nested deeper than
 * {@link jsonDepthMax} or that has more than {@link jsonValueCountMax} values. Takes linear time.
 */
export function readJson(body: Uint8Array): unknown {
  if (!isBounded(body)) return undefined;
  try {
    return JSON.parse(decoder.decode(body)) as unknown;
  } catch {
    // Not UTF-8 or not JSON; the parser's message quotes the body, so it is not forwarded.
    return undefined;
  }
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Counts brackets and separators outside of strings. */
function isBounded(bytes: Uint8Array): boolean {
  let depth = 0;
  let valueCount = 1;
  let isInString = false;
  for (let position = 0; position < bytes.length; position += 1) {
    const byte = bytes[position];
    if (byte === quote) isInString = !isInString;
    else if (isInString) {
      if (byte === backslash) position += 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth += 1;
      valueCount += 1;
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    else if (byte === 0x2c) valueCount += 1;
    if (depth > jsonDepthMax || valueCount > jsonValueCountMax) return false;
  }
  return true;
}
