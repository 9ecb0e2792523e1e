/** Reserved disk space so that deletion, purging and start-up work while the disk is full. */
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync, type StatsFs } from "node:fs";
import path from "node:path";

/** Name of the reserve in the data directory. */
export const reserveFileName = "restante.reserve";
/** Size of the reserve: a checkpoint of a write-ahead log of the usual length, twice. */
export const reserveBytesMax: number = 16 * 1024 * 1024;
/** Largest share of a small disk that the reserve takes. */
const reserveShareMax = 1 / 3;
/** Bytes written in one step. */
const stepBytes = 1024 * 1024;

/** File of {@link reserveBytesMax} that is removed when the disk is full, and written again when there is space. */
export class Reserve {
  readonly #file: string;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = path.join(directory, reserveFileName);
  }

  /** Frees the reserved space. */
  release(): void {
    rmSync(this.#file, { force: true });
  }

  /** Whether the reserve is complete. */
  get isWhole(): boolean {
    return this.#sizeBytes >= this.#targetBytes;
  }

  /** Whether the disk has space for the missing part of the reserve plus a quarter of the reserve for mail. */
  get fits(): boolean {
    const freeBytes = freeBytesOf(statfsSync(this.#directory));
    return freeBytes === null || freeBytes >= 1.25 * this.#targetBytes - this.#sizeBytes;
  }

  /** Writes the next part; returns true when more is missing. Throws and removes the reserve when the disk is full. */
  grow(): boolean {
    const missingBytes = this.#targetBytes - this.#sizeBytes;
    if (missingBytes <= 0) return false;
    const descriptor = openSync(this.#file, "a", 0o600);
    try {
      writeAll(descriptor, Buffer.alloc(Math.min(stepBytes, missingBytes)));
    } catch (error) {
      this.release();
      throw error;
    } finally {
      closeSync(descriptor);
    }
    return missingBytes > stepBytes;
  }

  get #sizeBytes(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
  }

  get #targetBytes(): number {
    const { blocks, bsize } = statfsSync(this.#directory);
    if (blocks === 0) return 0;
    return Math.floor(Math.min(reserveBytesMax, blocks * bsize * reserveShareMax));
  }
}

/** Returns the bytes that a file system has for this user; null when it does not report them, as some network file systems. */
export function freeBytesOf({ bavail, bsize, blocks }: Pick<StatsFs, "bavail" | "bsize" | "blocks">): number | null {
  return blocks === 0 ? null : bavail * bsize;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
