/** Mails in files of their own: one file, a folder with its folders, or a ZIP archive. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile } from "./regular-file.ts";
import { readZip } from "./zip-file.ts";

/** Mail in a file of its own. */
export interface LooseMail {
  /** Path or name of the entry, for errors. */
  readonly place: string;
  readonly bytes: Buffer;
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number;
}

/** Limits, and a receiver of what is no mail. */
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

/** Yields the mails of a ZIP archive. */
export async function* readEmlZip(path: string, limits: LooseLimits): AsyncGenerator<LooseMail> {
  for await (const { name, ...mail } of readZip(path, limits)) yield { place: `${path}: ${name}`, ...mail };
}
