/** Files that an export writes, and what a former attempt left in them. */
import { createHash, type Hash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { once } from "node:events";

/** Where bytes of an export go, one behind the other. */
export interface ExportSink {
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when all that was written is on the medium, or with whoever reads the stream. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Bytes that are gathered before they are written. */
const gatheredBytesMax = 1024 * 1024;

/** A file that nobody else may read, or the one that is there: opened to be read and written. */
export async function openExportFile(path: string): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }> {
  try {
    return { handle: await open(path, "wx+", 0o600), isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return { handle: await open(path, "r+"), isNew: false };
  }
}

/** Writes from `position` on; what stands behind it goes first. */
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

/** Writes to a stream no faster than it is read; the stream stays open. */
export function sinkToStream(stream: Writable): ExportSink {
  let fault: Error | undefined;
  const noteFault = (error: Error): void => {
    fault ??= error;
  };
  stream.on("error", noteFault);
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (fault !== undefined) throw fault;
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
      stream.off("error", noteFault);
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
    if (sizeBytes >= gatheredBytesMax) await rest();
  };
  return { add, rest };
}

const lineFeed = Buffer.from("\n");

/** Counts and hashes lines. */
export class LineTally {
  readonly #hash: Hash = createHash("sha256");
  lines = 0;
  /** How many of them are messages, which whoever adds them knows. */
  messages = 0;
  bytes = 0;

  /** A line without the line feed at its end. */
  add(line: Uint8Array): void {
    this.#hash.update(line).update(lineFeed);
    this.lines += 1;
    this.bytes += line.length + lineFeed.length;
  }

  /** Lower-case hex SHA-256 of all lines until now, each with a line feed at its end. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }
}
