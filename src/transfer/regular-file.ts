/** Reading of files in folders that others write: only regular files, of a bounded size. */
import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";

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
