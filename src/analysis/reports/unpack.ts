import { gunzipSync } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { inflateEntry, nextEntry } from "../../core/zip-entries.ts";

/** Bytes of all reports of a mail, unpacked; those of large receivers about a large sender have some megabytes. */
export const reportBytesMax: number = 32 * 1024 * 1024;
/** Entries of an archive that are looked at, and reports in it. */
const entryCountMax = 100;
const packedReportCountMax = 10;

/** File that may be a report. */
export interface ReportFile {
  readonly name: string | null;
  readonly bytes: Buffer;
}

/** Files in an archive, and the reason for which not all of them could be read. */
export interface Unpacked {
  readonly files: readonly ReportFile[];
  readonly problem: string | null;
}

const tooLarge = `Has more than ${reportBytesMax / 1024 / 1024} MB unpacked`;

/**
 * Unpacks a file, which its first bytes show to be a ZIP archive or gzip; any other is returned as it is. Inflates at most
 * `bytesMax` in all, whatever sizes the file states. An archive in an archive is not opened. Never rejects.
 */
export async function unpack(file: ReportFile, bytesMax: number): Promise<Unpacked> {
  const [first, second] = file.bytes;
  if (first === 0x1f && second === 0x8b) return gunzip(file, bytesMax);
  if (first === 0x50 && second === 0x4b) return unzip(file, bytesMax);
  return file.bytes.length > bytesMax ? { files: [], problem: tooLarge } : { files: [file], problem: null };
}

function gunzip({ name, bytes }: ReportFile, bytesMax: number): Unpacked {
  try {
    const content = gunzipSync(withoutLineEnd(bytes), { maxOutputLength: Math.max(1, bytesMax) });
    return { files: [{ name: name?.replace(/\.gz(?:ip)?$/i, "") ?? null, bytes: content }], problem: null };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { files: [], problem: code === "ERR_BUFFER_TOO_LARGE" ? tooLarge : `Is no complete gzip file: ${message}` };
  }
}

/**
 * Returns a gzip file without the line end that Mimecast writes after it. The last byte of the file itself is that of its size,
 * which is beyond the limit when it is CR or LF.
 */
function withoutLineEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d) end -= 1;
  return bytes.subarray(0, end);
}

async function unzip({ bytes }: ReportFile, bytesMax: number): Promise<Unpacked> {
  const files: ReportFile[] = [];
  let remaining = bytesMax;
  try {
    const zip = await openZip(bytes);
    let entry = await nextEntry(zip);
    for (let at = 0; entry !== null && at < entryCountMax && files.length < packedReportCountMax; at += 1) {
      const name = nameOf(entry);
      const isReport = /\.(?:xml|json)$/i.test(name) || (zip.entryCount === 1 && !name.endsWith("/"));
      const content = isReport ? await inflateEntry(zip, entry, remaining) : undefined;
      if (content === null) return { files, problem: tooLarge };
      remaining -= content?.length ?? 0;
      if (content !== undefined) files.push({ name: name.slice(name.lastIndexOf("/") + 1), bytes: content });
      entry = await nextEntry(zip);
    }
    return { files, problem: null };
  } catch (error) {
    return { files, problem: `Is no ZIP archive that can be read: ${(error as Error).message}` };
  }
}

/** Returns the name of an entry, which `decodeStrings: false` leaves as bytes: yauzl rejects archives because of some names. */
function nameOf({ fileName }: Entry): string {
  return Buffer.from(fileName).toString("utf8");
}

async function openZip(bytes: Buffer): Promise<ZipFile> {
  const { fromBuffer } = await import("yauzl");
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, decodeStrings: false }, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(error);
    });
  });
}
