/** Contents of mails as MailHog divides them: by text, without decoding. */
import type { StructurePart, StructureRange } from "../../mime/structure/structure.ts";

/** Header section and body of a mail or a part. */
export interface Content {
  /** Header section; empty for texts outside of the parts. */
  readonly head: Uint8Array;
  readonly body: Uint8Array;
  readonly sizeBytes: number;
  /** Parts of a multipart, with the text before the first and after the last one; null for other contents. */
  readonly parts: readonly Content[] | null;
}

const lineFeed = 10;
const carriageReturn = 13;

/** Returns the content of a part, and of the parts in it; their bytes are those of `raw`. */
export function contentOf(raw: Uint8Array, part: StructurePart): Content {
  const bytes = raw.subarray(part.header.start, part.body.end);
  return {
    head: raw.subarray(part.header.start, part.header.end),
    body: raw.subarray(part.body.start, part.body.end),
    sizeBytes: bytes.length,
    parts: part.type === "multipart" ? partsOf(raw, part) : null,
  };
}

/** Bytes of a header section whose fields are shown. */
const headBytesMax: number = 1024 * 1024;

/**
 * Returns the values of a header section by field names as written, of repeated fields the last one: unfolded, not decoded. Lines
 * that are no fields are left out. Linear in the section, of which the first MiB is read.
 */
export function readHeaders({ head }: Pick<Content, "head">): Readonly<Record<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, headBytesMax))
    .toString("utf8")
    .split(/\r\n|\n/)) {
    const colon = line.indexOf(": ");
    if (/^[ \t]/.test(line)) current?.push(line);
    else if (colon !== -1) {
      current = [line.slice(colon + 2)];
      fields.set(line.slice(0, colon), current);
    }
  }
  return Object.fromEntries([...fields].map(([name, lines]) => [name, [lines.join("")]]));
}

function partsOf(raw: Uint8Array, { parameters, children, body }: StructurePart): readonly Content[] {
  const [first] = children;
  const last = children.at(-1);
  if (first === undefined || last === undefined) return [];
  const delimiter = Buffer.from(`--${parameters.get("boundary") ?? ""}`, "utf8");
  const before = bufferOf(raw, { start: body.start, end: first.header.start });
  const after = bufferOf(raw, { start: last.body.end, end: body.end });
  const preamble = before.subarray(0, Math.max(0, before.lastIndexOf(delimiter)));
  const end = after.indexOf(delimiter);
  const epilogue = end === -1 ? after.subarray(0, 0) : after.subarray(end + delimiter.length);
  return [
    ...(preamble.length > 0 ? [textOf(preamble)] : []),
    ...children.map((child) => contentOf(raw, child)),
    ...(epilogue.length > 0 ? [textOf(epilogue)] : []),
  ];
}

/** Returns text outside of the parts, which MailHog lists as parts without header fields. */
function textOf(text: Uint8Array): Content {
  let [start, end] = [0, text.length];
  while (start < end && isLineEnd(text[start])) start += 1;
  while (end > start && isLineEnd(text[end - 1])) end -= 1;
  const body = text.subarray(start, end);
  return { head: body.subarray(0, 0), body, sizeBytes: body.length, parts: null };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === lineFeed || byte === carriageReturn;
}

function bufferOf(raw: Uint8Array, { start, end }: StructureRange): Buffer {
  return Buffer.from(raw.buffer, raw.byteOffset + start, Math.max(0, Math.min(end, raw.length) - start));
}
