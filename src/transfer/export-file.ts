/** Output of an export: a file or a stream. */
import { createHash, type Hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { once } from "node:events";

/** Sequential output of an export. */
export interface ExportSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when all written bytes are on disk, or passed to the reader of the stream. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Size of the write buffer in bytes. */
const bufferedBytesMax = 1024 * 1024;

/** Opens a file for reading and writing; creates it with mode 0600 if it does not exist. */
export async function openExportFile(path: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> {
  try {
    return { handle: await open(path, "wx+", 0o600), isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { handle: await open(path, "r+"), isNew: false };
  }
}

/** Returns a sink that writes to a file from `position`, after truncating the file there. */
export async function sinkToFile(handle: FileHandle, position: number): Promise<ExportSink> {
  await handle.truncate(position);
  let at = position;
  const write = async (bytes: Uint8Array): Promise<void> => {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at);
      done += bytesWritten;
      at += bytesWritten;
    }
  };
  const { add, rest } = gather(write);
  return {
    write: add,
    flush: async () => {
      await rest();
      await handle.sync();
    },
    close: async () => {
      await handle.close();
    },
  };
}

/** Returns a sink that writes to a stream with back-pressure; the stream stays open. */
export function sinkToStream(stream: Writable): ExportSink {
  let failure: Error | undefined;
  const onError = (error: Error): void => {
    failure ??= error;
  };
  stream.on("error", onError);
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (failure !== undefined) throw failure;
    if (!stream.write(bytes)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
  };
  const { add, rest } = gather(write);
  return {
    write: add,
    flush: async () => {
      await rest();
      await new Promise<void>((resolve, reject) => {
        stream.write("", (error) => {
          if (error === undefined || error === null) resolve();
          else reject(error);
        });
      });
    },
    close: async () => {
      await Promise.resolve();
      stream.off("error", onError);
    },
  };
}

function gather(write: (bytes: Uint8Array) => Promise<void>): {
  readonly add: (bytes: Uint8Array) => Promise<void>;
  readonly rest: () => Promise<void>;
} {
  let waiting: Uint8Array[] = [];
  let sizeBytes = 0;
  const rest = async (): Promise<void> => {
    const bytes = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    waiting = [];
    sizeBytes = 0;
    if (bytes !== undefined && bytes.length > 0) await write(bytes);
  };
  const add = async (bytes: Uint8Array): Promise<void> => {
    waiting.push(bytes);
    sizeBytes += bytes.length;
    if (sizeBytes >= bufferedBytesMax) await rest();
  };
  return { add, rest };
}

const lineFeed = Buffer.from("\n");

/** Counts and hash of lines. */
export class LineTally {
  readonly #hash: Hash = createHash("sha256");
  lines = 0;
  /** Number of messages among the lines, counted by the caller of {@link add}. */
  messages = 0;
  bytes = 0;

  /** Adds a line, given without its line feed. */
  add(line: Uint8Array): void {
    this.#hash.update(line).update(lineFeed);
    this.lines += 1;
    this.bytes += line.length + lineFeed.length;
  }

  /** Returns the SHA-256 of all lines so far, each with its line feed, in lower-case hex. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}
