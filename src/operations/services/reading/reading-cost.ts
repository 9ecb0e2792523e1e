/** Which mails are cheap enough to be read on the thread that holds the sockets. */

/** Bounds of what a mail may cost. */
export interface CheapLimits {
  /** Bytes of the whole mail. */
  readonly mailBytesMax: number;
  /** Bytes of the header section. */
  readonly headerBytesMax: number;
  /** Line ends of the header section. */
  readonly headerLineCountMax: number;
  /** Lines that begin with two hyphens, as delimiters of parts do. */
  readonly delimiterCountMax: number;
}

/** Bounds within which reading a mail takes some milliseconds at most, whatever the mail says. */
export const cheapLimits: CheapLimits = {
  mailBytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  headerLineCountMax: 400,
  delimiterCountMax: 60,
};

const emptyLine = Buffer.from("\r\n\r\n", "latin1");
const emptyBareLine = Buffer.from("\n\n", "latin1");
const delimiterStart = Buffer.from("\n--", "latin1");
const lf = 10;

/** Whether a mail is within {@link cheapLimits}; takes some microseconds. */
export function isCheapToRead(raw: Uint8Array): boolean {
  if (raw.byteLength > cheapLimits.mailBytesMax) return false;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const headerBytes = headerEnd(bytes);
  if (headerBytes > cheapLimits.headerBytesMax) return false;
  const { headerLineCountMax, delimiterCountMax } = cheapLimits;
  if (hasMoreThan(headerLineCountMax, bytes.subarray(0, headerBytes), lf)) return false;
  return !hasMoreThan(delimiterCountMax, bytes, delimiterStart);
}

/** Offset of the first empty line; the length of the mail where there is none. */
function headerEnd(bytes: Buffer): number {
  const end = bytes.indexOf(emptyLine);
  // A mail whose lines end with LF alone may still contain the other form further down.
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
