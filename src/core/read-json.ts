/** The reader of JSON that others have written: every request body in JSON is parsed here and nowhere else. */
import { bodyNameBytesMax, jsonDepthMax, jsonValueCountMax } from "./arrival-rate.ts";
import { Problem } from "./errors.ts";
import { mainTurns } from "./shared-turns.ts";

/** Reason for which a text is not parsed: it is not JSON in UTF-8, or it exceeds a limit of `arrival-rate.ts`. */
export type JsonFault = "syntax" | "values" | "depth" | "names";

/** Result of reading JSON. */
export type JsonReading = { readonly value: unknown } | { readonly fault: JsonFault };

/** Options of {@link readJson}. */
export interface JsonOptions {
  /** Whether bytes that are not UTF-8 become U+FFFD, as the JSON reader of Go does; false by default. */
  readonly replacesInvalid?: boolean;
}

/** Texts of the limits. */
const limitTexts: Readonly<Record<Exclude<JsonFault, "syntax">, string>> = {
  values: `The JSON has more than ${jsonValueCountMax} values`,
  depth: `The JSON is nested deeper than ${jsonDepthMax} arrays and objects`,
  names: `A name in the JSON is longer than ${bodyNameBytesMax} bytes`,
};

/** Large bodies that were read in turns, for readers that cannot wait. */
const readAhead = new WeakMap<Uint8Array, JsonReading>();

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder("utf-8");

/**
 * Reads JSON (RFC 8259) in UTF-8. Never throws. The limits are checked before anything is built, in linear time and without
 * allocations: V8 needs half a minute and gigabytes for 72 MB of empty objects.
 */
export function readJson(bytes: Uint8Array, { replacesInvalid = false }: JsonOptions = {}): JsonReading {
  const known = replacesInvalid ? undefined : readAhead.get(bytes);
  if (known !== undefined) return known;
  const fault = findExcess(bytes);
  if (fault !== null) return { fault };
  const text = decode(bytes, replacesInvalid ? lenient : strict);
  return text === null ? { fault: "syntax" } : parse(text);
}

/** Returns null for bytes that are not UTF-8. */
function decode(bytes: Uint8Array, decoder = strict): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    // Only invalid bytes throw.
    return null;
  }
}

function parse(text: string): JsonReading {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // The parser's message quotes the body, so it is not forwarded.
    return { fault: "syntax" };
  }
}

/**
 * Returns the value of a body, or what `otherwise` returns for a body that is not JSON in UTF-8. Throws `body_too_large`,
 * whose text names the limit, for a body beyond the limits.
 */
export function readJsonBody<Other>(bytes: Uint8Array, otherwise: () => Other, options?: JsonOptions): unknown {
  return valueOf(readJson(bytes, options), otherwise);
}

/** Size from which the steps of reading a body are separated by turns of the event loop: a megabyte takes 3 ms. */
const severalTurnsFromBytes = 1024 * 1024;

/** As {@link readJsonBody}, and leaves turns of the event loop to others while it reads a large body. */
export async function readJsonBodyInTurns<Other>(
  bytes: Uint8Array,
  otherwise: () => Other,
  options: JsonOptions = {},
): Promise<unknown> {
  if (bytes.byteLength < severalTurnsFromBytes) return readJsonBody(bytes, otherwise, options);
  return valueOf(await readInTurns(bytes, options), otherwise);
}

/**
 * Reads a large body in turns of the event loop if it begins as JSON does, so that {@link readJson} of the same bytes returns
 * the result at once. Nothing may change the bytes afterwards. Never rejects.
 */
export async function readJsonAhead(bytes: Uint8Array): Promise<void> {
  if (bytes.byteLength < severalTurnsFromBytes || (bytes[0] !== brace && bytes[0] !== bracket)) return;
  readAhead.set(bytes, await readInTurns(bytes, {}));
}

async function readInTurns(bytes: Uint8Array, { replacesInvalid = false }: JsonOptions): Promise<JsonReading> {
  await mainTurns.next();
  const fault = findExcess(bytes);
  if (fault !== null) return { fault };
  await mainTurns.next();
  const text = decode(bytes, replacesInvalid ? lenient : strict);
  await mainTurns.next();
  const reading = text === null ? ({ fault: "syntax" } as const) : parse(text);
  await mainTurns.next();
  return reading;
}

function valueOf<Other>(reading: JsonReading, otherwise: () => Other): unknown {
  if ("value" in reading) return reading.value;
  if (reading.fault === "syntax") return otherwise();
  throw new Problem("body_too_large", { text: limitTexts[reading.fault] });
}

const quote = 0x22;
const brace = 0x7b;
const bracket = 0x5b;
const backslash = 0x5c;

/** Meaning of a byte outside of strings. */
const plain = 0;
const opensString = 1;
const separates = 2;
const opens = 3;
const closes = 4;
const endsName = 5;
const meanings = Uint8Array.from(
  { length: 256 },
  (_, byte) =>
    [plain, opensString, separates, opens, opens, closes, closes, endsName][
      '\0",[{]}:'.indexOf(String.fromCharCode(byte))
    ] ?? plain,
);

/** Returns the first limit that a text exceeds; null when it keeps all of them, whether or not it is JSON. */
function findExcess(bytes: Uint8Array): Exclude<JsonFault, "syntax"> | null {
  let valueCount = 1;
  let depth = 0;
  let stringBytes = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const meaning = meanings[bytes[at] ?? 0];
    if (meaning === plain) continue;
    if (meaning === opensString) {
      const start = at + 1;
      at = endOfString(bytes, start);
      stringBytes = at - start;
    } else if (meaning === endsName) {
      if (stringBytes > bodyNameBytesMax) return "names";
    } else if (meaning === closes) depth -= 1;
    else {
      valueCount += 1;
      if (valueCount > jsonValueCountMax) return "values";
      if (meaning === opens && ++depth > jsonDepthMax) return "depth";
    }
  }
  return null;
}

/** Bytes of a string that are looked at one by one before the rest is searched, which is slow to start and faster then. */
const nearBytes = 128;

/** Returns the position of the quotation mark that ends the string with content from `start`; the end of the text without one. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length;) {
    for (const near = Math.min(bytes.length, at + nearBytes); at < near; at += 1) {
      const byte = bytes[at];
      if (byte === quote) return at;
      if (byte === backslash) at += 1;
    }
    const found = bytes.indexOf(quote, at);
    if (found === -1) return bytes.length;
    let escapesFrom = found;
    while (escapesFrom > at && bytes[escapesFrom - 1] === backslash) escapesFrom -= 1;
    if ((found - escapesFrom) % 2 === 0) return found;
    at = found + 1;
  }
  return bytes.length;
}
