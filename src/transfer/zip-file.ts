/** Mails in a ZIP archive. Names of entries are shown and never used as paths. */
import { open, type Entry, type ZipFile } from "yauzl";
import { inflateEntry, nextEntry } from "../core/zip-entries.ts";

/** Entry of an archive that is a mail. */
export interface ZippedMail {
  readonly name: string;
  readonly bytes: Buffer;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** Limits of an archive, and a receiver of what is no mail. */
export interface ZipLimits {
  readonly mailBytesMax: number;
  /** Receives the name of each entry that is no mail, or is encrypted or compressed in an unknown way. */
  readonly onSkipped: (name: string) => void;
}

/** Entries of one archive, and the ratio of compression beyond which an entry of more than a mebibyte is a bomb. */
const entryCountMax = 1_000_000;
const ratioMax = 200;
const ratioFreeBytes = 1024 * 1024;

/**
 * Yields the entries whose names end with `.eml`, each inflated within its limits. Throws an `Error` that names the entry for
 * one that is larger than a mail, inflates more than 200 times, or is damaged.
 */
export async function* readZip(path: string, limits: ZipLimits): AsyncGenerator<ZippedMail> {
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
        yield { name, bytes: await inflate(zip, entry, { shown, ...limits }), modifiedAt: modifiedAt(entry) };
      }
    }
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(path, { lazyEntries: true, autoClose: false, decodeStrings: false }, (error, zip) => {
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
