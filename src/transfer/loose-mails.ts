/**
 * Mails in files of their own: in folders that others write, of which only regular files of a bounded size are read, and in ZIP
 * archives, whose names of entries are shown and never used as paths.
 */
import { constants } from "node:fs";
import { lstat, open, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { open as openArchive, type Entry, type ZipFile } from "yauzl";
import { inflateEntry, nextEntry } from "../core/zip-entries.ts";

/** Mail in a file of its own. */
export interface LooseMail {
  /** Path or name of the entry, for errors. */
  readonly place: string;
  readonly bytes: Buffer;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** Limits, and a receiver of what is no mail, also of entries that are encrypted or compressed in an unknown way. */
export interface LooseLimits {
  readonly mailBytesMax: number;
  readonly onSkipped: (name: string) => void;
}

/** Folders within folders that are read. */
const depthMax = 20;

/** Yields the mail of a file, whatever its name is. Rejects as {@link readRegularFile} does. */
export async function* readEml(path: string, { mailBytesMax }: LooseLimits): AsyncGenerator<LooseMail> {
  const { bytes, mtimeMs } = await readRegularFile(path, mailBytesMax);
  yield { place: path, bytes, modifiedAt: mtimeMs };
}

/**
 * Yields the mails of files that end with `.eml`, in the order of their names, also in folders; links to folders are not followed.
 * Rejects as {@link readRegularFile} does.
 */
export async function* readEmlFolder(path: string, limits: LooseLimits, depth = 0): AsyncGenerator<LooseMail> {
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const own = join(path, entry.name);
    if (entry.isDirectory() && depth < depthMax) yield* readEmlFolder(own, limits, depth + 1);
    else if (/\.eml$/i.test(entry.name)) yield* readEml(own, limits);
    else limits.onSkipped(own);
  }
}

/** Entries of one archive, and the ratio of compression beyond which an entry of more than a mebibyte is a bomb. */
const entryCountMax = 1_000_000;
const ratioMax = 200;
const ratioFreeBytes = 1024 * 1024;

/**
 * Yields the mails of a ZIP archive: entries whose names end with `.eml`, each inflated within its limits. Throws an `Error` that
 * names the entry for one that is larger than a mail, inflates more than 200 times, or is damaged.
 */
export async function* readZip(path: string, limits: LooseLimits): AsyncGenerator<LooseMail> {
  const zip = await openZip(path);
  try {
    if (zip.entryCount > entryCountMax) throw new Error(`${path} has more than ${String(entryCountMax)} entries`);
    for (let entry = await nextEntry(zip); entry !== null; entry = await nextEntry(zip)) {
      // `decodeStrings: false` keeps yauzl from rejecting an archive because of a name, which is only shown here.
      const name = Buffer.from(entry.fileName).toString("utf8");
      if (name.endsWith("/")) continue;
      if (!/\.eml$/i.test(name) || entry.isEncrypted() || !entry.canDecodeFileData()) limits.onSkipped(name);
      else {
        const shown = `${path}: ${JSON.stringify(name.slice(0, 200))}`;
        const bytes = await inflate(zip, entry, { shown, ...limits });
        yield { place: `${path}: ${name}`, bytes, modifiedAt: modifiedAt(entry) };
      }
    }
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    openArchive(path, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(new Error(`${path} is not a ZIP archive that can be read: ${error.message}`, { cause: error }));
    });
  });
}

async function inflate(
  zip: ZipFile,
  entry: Entry,
  { shown, mailBytesMax }: { readonly shown: string; readonly mailBytesMax: number },
): Promise<Buffer> {
  const bytesMax = Math.min(mailBytesMax, Math.max(ratioFreeBytes, entry.compressedSize * ratioMax));
  const tooLarge = (): Error =>
    new Error(
      bytesMax === mailBytesMax
        ? `${shown} has more than ${String(mailBytesMax)} bytes`
        : `${shown} inflates more than ${String(ratioMax)} times`,
    );
  let content: Buffer | null;
  try {
    content = await inflateEntry(zip, entry, bytesMax);
  } catch (error) {
    throw new Error(`${shown} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (content === null) throw tooLarge();
  return content;
}

function modifiedAt(entry: Entry): number {
  const instant = entry.getLastModDate({ timezone: "UTC" }).getTime();
  return Number.isNaN(instant) ? 0 : Math.max(0, instant);
}

/** Content of a regular file. */
export interface RegularFile {
  readonly bytes: Buffer;
  /** Time of the last modification in milliseconds since the Unix epoch. */
  readonly mtimeMs: number;
}

/** A symbolic link is an error of its own, and opening a FIFO or a device does not wait for another end. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const linkErrors: ReadonlySet<string | undefined> = new Set(["ELOOP", "EMLINK"]);

/**
 * Reads a regular file. Rejects with an `Error` that names the path for a symbolic link, a FIFO, a device, a folder, and a file
 * with more than `bytesMax` bytes; never reads more, even of a file that grows.
 */
export async function readRegularFile(path: string, bytesMax: number): Promise<RegularFile> {
  await using handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw linkErrors.has(error.code) ? new Error(`${path} is a symbolic link, which is not followed`) : error;
  });
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`);
  if (stats.size > bytesMax) throw tooLarge(path, bytesMax);
  return { bytes: await readUpTo(handle, path, bytesMax), mtimeMs: stats.mtimeMs };
}

/** Rejects with an `Error` that names the path unless it is a folder, not a symbolic link to one. */
export async function requireFolder(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) throw new Error(`${path} is a symbolic link, which is not followed`);
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder`);
}

async function readUpTo(handle: FileHandle, path: string, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, end: bytesMax })) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).byteLength;
  }
  if (size > bytesMax) throw tooLarge(path, bytesMax);
  return Buffer.concat(chunks);
}

function tooLarge(path: string, bytesMax: number): Error {
  return new Error(`${path} has more than ${bytesMax} bytes`);
}
