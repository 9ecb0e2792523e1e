import { readFile, rename, rm, writeFile, type FileHandle } from "node:fs/promises";
import { parseMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import { openExportFile, sinkToFile, type ExportSink } from "./export-file.ts";

/** Bytes between updates of the progress file. */
const noteBytes = 16 * 1024 * 1024;

/** Content of the progress file of an mbox export. */
interface Note {
  readonly server: string;
  /** Last message in the file; null when it is empty. */
  readonly after: MessageId | null;
  /** Size of the file in bytes. */
  readonly bytes: number;
  readonly mails: number;
}

/** Mbox that is being written, with its progress file. */
export class MboxFile {
  readonly sink: ExportSink;
  readonly #handle: FileHandle;
  readonly #notePath: string;
  #note: Note;
  #notedBytes: number;

  private constructor(handle: FileHandle, sink: ExportSink, { note, notePath }: { note: Note; notePath: string }) {
    this.#handle = handle;
    this.sink = sink;
    this.#note = note;
    this.#notePath = notePath;
    this.#notedBytes = note.bytes;
  }

  /** Opens the file. Rejects with an `Error` for the operator when it exists and is not an export of the same server. */
  static async open(path: string, server: ServerId): Promise<MboxFile> {
    const notePath = `${path}.unfinished`;
    const { handle, isNew } = await openExportFile(path);
    try {
      const found = await readNote(notePath);
      const isOurs = isNew || found !== null || (await handle.stat()).size === 0;
      if (!isOurs) throw new Error(`${path} exists; an export never overwrites`);
      if (found !== null && found.server !== server)
        throw new Error(`${path} is an export of the server ${found.server}`);
      const note = found !== null && !isNew ? found : { server, after: null, bytes: 0, mails: 0 };
      await writeNote(notePath, note);
      return new MboxFile(handle, await sinkToFile(handle, note.bytes), { note, notePath });
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Last message in the file; null when there is none. */
  get after(): MessageId | null {
    return this.#note.after;
  }

  /** Number of mails in the file. */
  get mailCount(): number {
    return this.#note.mails;
  }

  /** Records a mail that was written. */
  async note(after: MessageId, sizeBytes: number): Promise<void> {
    const { server, bytes, mails } = this.#note;
    this.#note = { server, after, bytes: bytes + sizeBytes, mails: mails + 1 };
    if (this.#note.bytes - this.#notedBytes < noteBytes) return;
    await this.sink.flush();
    await writeNote(this.#notePath, this.#note);
    this.#notedBytes = this.#note.bytes;
  }

  /** Flushes the file and removes the progress file. */
  async finish(): Promise<void> {
    await this.sink.flush();
    await rm(this.#notePath);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

async function writeNote(path: string, note: Note): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(note), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** Reads the progress file; null when there is none. Throws an `Error` for the operator when it is invalid. */
async function readNote(path: string): Promise<Note | null> {
  // A missing file is the usual case; with an unreadable one the export restarts.
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  try {
    const note = JSON.parse(text) as Note;
    const isPlace = note.after === null || parseMessageId(note.after) === note.after;
    const counts = [note.bytes, note.mails].every((count) => Number.isSafeInteger(count) && count >= 0);
    if (isPlace && counts && typeof note.server === "string") return note;
  } catch {
    // Invalid JSON: reported below.
  }
  throw new Error(`${path} is not a valid progress file; remove it and the file beside it`);
}
