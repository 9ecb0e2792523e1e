/** Limits of mails that are parsed on the main thread. */

/** Limits of a mail that is cheap to parse. */
export interface CheapLimits {
  /** Size of the mail in bytes. */
  readonly mailBytesMax: number;
  /** Size of the header section in bytes. */
  readonly headerBytesMax: number;
  /** Lines of the header section. */
  readonly headerLineCountMax: number;
  /** Lines that start with two hyphens, like MIME boundaries. */
  readonly delimiterCountMax: number;
  /** MIME parts. */
  readonly partCountMax: number;
}

/** Limits within which parsing takes a few milliseconds for any content. */
export const cheapLimits: CheapLimits = {
  mailBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  headerLineCountMax: 400,
  delimiterCountMax: 60,
  partCountMax: 60,
};

/** Words with the form of a code in a text that is read on the main thread: evaluating them takes up to three milliseconds. */
export const cheapCodeCandidateMax = 400;

const emptyLine = Buffer.from("\r\n\r\n", "latin1");
const emptyBareLine = Buffer.from("\n\n", "latin1");
const delimiterStart = Buffer.from("\n--", "latin1");
const lf = 10;

/** Returns whether a mail is within {@link cheapLimits} for any reader, in a few microseconds. */
export function isCheapToRead(raw: Uint8Array): boolean {
  return isCheapWithFewParts(raw) && !hasMoreThan(cheapLimits.delimiterCountMax, viewOf(raw), delimiterStart);
}

/** As {@link isCheapToRead}, for a reader that stops at `partCountMax`: the lines of the body are not searched. */
export function isCheapWithFewParts(raw: Uint8Array): boolean {
  if (raw.byteLength > cheapLimits.mailBytesMax) return false;
  const bytes = viewOf(raw);
  const headerBytes = headerEnd(bytes);
  if (headerBytes > cheapLimits.headerBytesMax) return false;
  return !hasMoreThan(cheapLimits.headerLineCountMax, bytes.subarray(0, headerBytes), lf);
}

function viewOf(raw: Uint8Array): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
}

/** Returns the offset of the first empty line; the length of the mail without one. */
function headerEnd(bytes: Buffer): number {
  const end = bytes.indexOf(emptyLine);
  // A mail with bare LF line ends may contain CRLF further down.
  const head = end < 0 ? bytes : bytes.subarray(0, end);
  const bareEnd = head.indexOf(emptyBareLine);
  return bareEnd < 0 ? head.length : bareEnd;
}

function hasMoreThan(countMax: number, bytes: Buffer, wanted: Buffer | number): boolean {
  let at = -1;
  for (let count = 0; count <= countMax; count += 1) {
    at = bytes.indexOf(wanted, at + 1);
    if (at < 0) return false;
  }
  return true;
}
