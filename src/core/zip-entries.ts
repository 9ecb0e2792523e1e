/** Entries of ZIP archives. Names of entries are shown and never used as paths. */
import { once } from "node:events";
import type { Entry, ZipFile } from "yauzl";

/** Returns the next entry of an archive that was opened with `lazyEntries`; null at its end. Rejects for a damaged directory. */
export async function nextEntry(zip: ZipFile): Promise<Entry | null> {
  const next = Promise.race([once(zip, "entry") as Promise<[Entry]>, once(zip, "end").then((): [null] => [null])]);
  zip.readEntry();
  const [entry] = await next;
  return entry;
}

/**
 * Returns the content of an entry; null when it is larger than `bytesMax`, of which no more is inflated, whatever size the
 * archive states. Rejects when the content is damaged.
 */
export async function inflateEntry(zip: ZipFile, entry: Entry, bytesMax: number): Promise<Buffer | null> {
  if (entry.uncompressedSize > bytesMax) return null;
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => {
      if (error === null) resolve(opened);
      else reject(error);
    });
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
