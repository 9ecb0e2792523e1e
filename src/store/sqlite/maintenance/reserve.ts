/** Reserved disk space so that deletion, purging and start-up work while the disk is full. */
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import path from "node:path";

/** Name of the reserve in the data directory. */
export const reserveFileName = "restante.reserve";
/** Size of the reserve: a checkpoint of a write-ahead log of the usual length, twice. */
const reserveBytesMax = 16 * 1024 * 1024;
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
    const { bavail, bsize, blocks } = statfsSync(this.#directory);
    // Some network file systems do not report free space.
    if (blocks === 0) return true;
    return bavail * bsize >= 1.25 * this.#targetBytes - this.#sizeBytes;
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

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}
