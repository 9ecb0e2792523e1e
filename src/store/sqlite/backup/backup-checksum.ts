/**
 * Checksum of a backup, which follows the pages of its database: SQLite ignores what is behind them. It is the 16 bytes of
 * `mark` and the SHA-256 of everything before it and of the mark.
 */
import { createHash } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, readSync } from "node:fs";

const mark = Buffer.from("restante:sha256:");
/** Length of the checksum with its mark. */
export const trailerBytes: number = mark.length + 32;
const readBytes = 1024 * 1024;
const pageBytesMin = 512;

/** State of the checksum of a backup: `absent` for plain copies of a database. */
export type ChecksumState = "correct" | "wrong" | "absent";

/** Appends the checksum to a complete backup. */
export function appendChecksum(file: string): void {
  const descriptor = openSync(file, "r");
  try {
    appendFileSync(file, Buffer.concat([mark, digestOf(descriptor, fstatSync(descriptor).size)]));
  } finally {
    closeSync(descriptor);
  }
}

/** Verifies the checksum of a backup; reads the whole file. */
export function verifyChecksum(file: string): ChecksumState {
  const descriptor = openSync(file, "r");
  try {
    const length = fstatSync(descriptor).size - trailerBytes;
    // Pages have 512 bytes at least: behind them there is only a checksum.
    if (length < 0 || (length + trailerBytes) % pageBytesMin === 0) return "absent";
    const trailer = Buffer.alloc(trailerBytes);
    readSync(descriptor, trailer, 0, trailerBytes, length);
    const isCorrect = trailer.equals(Buffer.concat([mark, digestOf(descriptor, length)]));
    return isCorrect ? "correct" : "wrong";
  } finally {
    closeSync(descriptor);
  }
}

function digestOf(descriptor: number, length: number): Buffer {
  const hash = createHash("sha256").update(mark);
  const buffer = Buffer.alloc(Math.min(readBytes, length));
  for (let at = 0; at < length;) {
    const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, length - at), at);
    if (count === 0) break;
    hash.update(buffer.subarray(0, count));
    at += count;
  }
  return hash.digest();
}
