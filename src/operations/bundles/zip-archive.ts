/** ZIP archives, written by yazl while they are read. The only file that knows the library. */
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";

/** File of an archive. */
export interface ArchiveFile {
  /** Path with slashes, below the root of the archive; see `bundle-names.ts`. */
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
