/** Expected result of parsing a mail of the corpus; absent members are not compared. Line ends of texts are LF. */
export interface Expectation {
  readonly subject?: string;
  /** `Name <address>` or `address`, in order. */
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly cc?: readonly string[];
  readonly text?: string | null;
  readonly html?: string | null;
  readonly attachments?: readonly ExpectedAttachment[];
  readonly defects?: readonly string[];
}

/** `bytes` is the decoded content. */
export interface ExpectedAttachment {
  readonly contentType: string;
  readonly fileName: string;
  readonly contentId?: string | null;
  readonly bytes?: Uint8Array;
}

/** Mail of the corpus; `name` is unique and describes its peculiarity. */
export interface CorpusMail {
  readonly name: string;
  readonly raw: Buffer;
  readonly expected: Expectation;
}

/** Returns a text as bytes of a mail: every LF becomes CRLF, every character up to U+00FF one byte. */
export function mailBytes(text: string): Buffer {
  return Buffer.from(text.replaceAll("\n", "\r\n"), "latin1");
}

/** Returns pseudo-random bytes that are the same in every run. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** Returns base64 in lines of 76 characters, without a final line end. */
export function base64Lines(bytes: Uint8Array): string {
  return (
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\n");
}

/** Returns quoted-printable of `bytes`: everything except letters and digits escaped, soft breaks before column 76. */
export function quotedPrintable(bytes: Uint8Array): string {
  let line = "";
  let encoded = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    line += /[A-Za-z0-9]/.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    if (line.length > 71) {
      encoded += `${line}=\n`;
      line = "";
    }
  }
  return encoded + line;
}
