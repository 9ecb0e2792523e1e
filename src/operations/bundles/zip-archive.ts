/** ZIP archives, written by yazl while they are read. The only file that knows the library. */
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { Principal } from "../../core/api-key.ts";
import type { MessageId } from "../../core/ids.ts";
import type { RawContent } from "../../store/raw-content.ts";
import type { Context } from "../context.ts";
import type { MemoryReservation } from "../services/limits/mail-admission.ts";
import { type StoredDetail, type StoredPart, decodeDetail } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId, orNotFound } from "../services/security/access.ts";

/** File of an archive. */
export interface ArchiveFile {
  /** Path with slashes, below the root of the archive, of names that `folderOf` and `safeFileNames` return. */
  readonly path: string;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * Yields a ZIP archive of the files. Each is requested after the previous one was read. Reads no faster
 * than the consumer: in between are the buffers of a few streams. Throws as `files` and their contents do; returning
 * early ends both.
 */
export async function* zipArchive(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const stopped = new AbortController();
  const writing = writeFiles(zip, files, stopped.signal).catch((error: unknown) => {
    // Reaches the consumer through the output, unless it has stopped.
    output.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    for await (const chunk of output) yield chunk as Buffer;
  } finally {
    stopped.abort();
    output.destroy();
    await writing;
  }
}

async function writeFiles(zip: ZipFile, files: AsyncIterable<ArchiveFile>, signal: AbortSignal): Promise<void> {
  for await (const { path, modifiedAt, content } of files) {
    const source = Readable.from(content instanceof Uint8Array ? [content] : content, { highWaterMark: 1 });
    zip.addReadStream(source, path, { mtime: new Date(modifiedAt), compress: !path.endsWith(".png") });
    try {
      await finished(source, { signal, writable: false });
    } finally {
      source.destroy();
    }
  }
  zip.end();
}

// Attachments of one message as a ZIP archive.

/**
 * Reads ranges of a raw mail. Ranges in ascending order cost one pass over the mail, which may be compressed
 * as a whole; one that starts before the end of the previous one starts another pass.
 */
export class RangeReader {
  readonly #raw: RawContent;
  #chunks: AsyncIterator<Uint8Array> | null = null;
  #chunk: Uint8Array = new Uint8Array();
  /** Position of the end of the chunk in the mail. */
  #chunkEnd = 0;

  constructor(raw: RawContent) {
    this.#raw = raw;
  }

  /** Returns a copy of the bytes from `start` to before `end`; fewer when the mail is shorter. Throws as the content does. */
  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.max(0, end - start));
    let length = 0;
    while (length < bytes.length) {
      const chunk = await this.#chunkAt(start + length);
      if (chunk === null) break;
      const taken = chunk.subarray(0, bytes.length - length);
      bytes.set(taken, length);
      length += taken.length;
    }
    return length === bytes.length ? bytes : bytes.slice(0, length);
  }

  /** Ends the pass. */
  async close(): Promise<void> {
    await this.#chunks?.return?.();
    this.#chunks = null;
  }

  /** Returns the rest of the chunk that contains a position, from there; null after the end. */
  async #chunkAt(position: number): Promise<Uint8Array | null> {
    if (this.#chunks === null || position < this.#chunkEnd - this.#chunk.length) {
      await this.close();
      this.#chunks = this.#raw.read()[Symbol.asyncIterator]();
      this.#chunk = new Uint8Array();
      this.#chunkEnd = 0;
    }
    while (position >= this.#chunkEnd) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#chunk = next.value;
      this.#chunkEnd += this.#chunk.length;
    }
    return this.#chunk.subarray(this.#chunk.length - (this.#chunkEnd - position));
  }
}

/** Dependencies of {@link zipAttachments}; `room` limits the memory of the attachments that are decoded concurrently. */
type ZipAttachmentsContext = Context & { readonly room: MemoryReservation };

/**
 * Returns the decoded attachments of a message as an archive, with the names that their sender gave them, made safe and
 * different. It is empty for a message without attachments. One attachment is in memory at a time. Rejects with `not_found`,
 * and as `room` does.
 */
export async function zipAttachments(
  context: ZipAttachmentsContext,
  principal: Principal,
  idText: string,
): Promise<AsyncIterable<Uint8Array>> {
  const id = openMessageId(principal, idText);
  const detail = decodeDetail(orNotFound(await context.store.getDetail(id), "Message"));
  const sizes = detail.message.attachments.map(({ length }, at) => length + encodedLength(detail.parts[at]));
  await context.room.reserve(Math.max(0, ...sizes));
  return zipArchive(attachmentFiles(context, principal, { id, detail }));
}

async function* attachmentFiles(
  context: ZipAttachmentsContext,
  principal: Principal,
  { id, detail }: { readonly id: MessageId; readonly detail: StoredDetail },
): AsyncGenerator<ArchiveFile, void> {
  const modifiedAt = Date.parse(detail.message.received);
  const names = safeFileNames(detail.message.attachments.map(({ fileName }) => fileName));
  const reader = new RangeReader(orNotFound(await context.store.openRaw(id), "Message"));
  try {
    for (const [at, path] of names.entries()) {
      const media = detail.media?.[at];
      if (media !== undefined) {
        yield { path, modifiedAt, content: Buffer.from(media, "base64") };
        continue;
      }
      const part = orNotFound(detail.parts[at], "Attachment");
      const encoded = await reader.read(part.bodyStart, part.bodyEnd);
      const ownPart = { ...part, bodyStart: 0, bodyEnd: encoded.byteLength };
      const content = await context.bodies.decode({ raw: encoded, part: ownPart }, callerOf(principal, context));
      yield { path, modifiedAt, content };
    }
  } finally {
    await reader.close();
  }
}

function encodedLength(part: StoredPart | undefined): number {
  return part === undefined ? 0 : part.bodyEnd - part.bodyStart;
}

// Names of files in archives, which every file system accepts and none of which leaves its folder.

const slugLengthMax = 40;

/** Returns letters, digits and hyphens that resemble a text; "message" when nothing remains. */
export function slugOf(text: string): string {
  const plain = text
    .slice(0, 10 * slugLengthMax)
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replaceAll(/^-|-$/g, "");
  return plain === "" ? "message" : plain;
}

/** Returns the folder of the n-th message of a bundle; the number makes it unique and no reserved name of Windows. */
export function folderOf(
  position: number,
  { subject, received }: { readonly subject: string; readonly received: string },
): string {
  const instant = received.slice(0, 19).replaceAll(/[^0-9T]/g, "-");
  return `${String(position).padStart(4, "0")}-${instant}-${slugOf(subject)}`;
}

const fileNameLengthMax = 120;
/** Characters that file systems forbid, or that make a name look like another: controls, formats, separators (RFC 8264 §9). */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;
/** Devices of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns names for files that a sender has named, in their order: without characters that file systems forbid, each of at most
 * 120 characters, and unique when letter case is ignored.
 */
export function safeFileNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return names.map((name) => {
    const safe = safeFileName(name);
    const key = safe.toLowerCase();
    let unique = safe;
    for (let number = lastNumbers.get(key) ?? 1; used.has(unique.toLowerCase());) {
      number += 1;
      lastNumbers.set(key, number);
      unique = numbered(safe, number);
    }
    used.add(unique.toLowerCase());
    return unique;
  });
}

function safeFileName(name: string): string {
  const cut = Array.from(
    name
      .slice(0, 4 * fileNameLengthMax)
      .normalize("NFC")
      .replaceAll(unsafeCharacters, "_"),
  );
  const extension = /\.[A-Za-z\d]{1,10}$/.exec(name)?.[0] ?? "";
  const whole = cut.join("");
  const short =
    cut.length <= fileNameLengthMax ? whole : cut.slice(0, fileNameLengthMax - extension.length).join("") + extension;
  const trimmed = short.replaceAll(/^[. ]{1,120}|[. ]{1,120}$/g, "");
  if (trimmed === "") return "attachment";
  return deviceName.test(trimmed) ? `_${trimmed}` : trimmed;
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
}
