/** Export of one server's mail to an mbox or a maildir, for email clients. */
import { readFile, rename, rm, writeFile, type FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { type MessageId, parseMessageId, type ServerId } from "../core/ids.ts";
import type { Server } from "../core/server.ts";
import { decodeDetail } from "../operations/services/reading/stored-detail.ts";
import type { WholeMessage } from "../store/store.ts";
import { chooseServers, walkMessages } from "./encode-lines.ts";
import { sinkToStream, type ExportSink, openExportFile, sinkToFile } from "./export-file.ts";
import type { ExportRequest } from "./export-store.ts";
import { listMaildir, makeMaildir, writeToMaildir } from "./maildir.ts";
import { mboxEntry } from "./mbox.ts";
import { emptyTransfer, type TransferResult } from "./progress.ts";

/** Writes an mbox to a stream. Rejects with an `Error` for the operator unless exactly one server is selected. */
export async function exportMboxToStream(request: ExportRequest, stream: Writable): Promise<TransferResult> {
  const server = await chooseServer(request);
  const sink = sinkToStream(stream);
  try {
    return await writeMbox(request, sink, { server, after: null, note: async () => await Promise.resolve() });
  } finally {
    await sink.close();
  }
}

/**
 * Writes an mbox to a new file with mode 0600. A progress file beside it allows the same call to resume after an interruption.
 * Rejects with an `Error` for the operator when the file exists without a progress file.
 */
export async function exportMboxToFile(request: ExportRequest, path: string): Promise<TransferResult> {
  const server = await chooseServer(request);
  const file = await MboxFile.open(path, server.id);
  try {
    const { after, mailCount } = file;
    request.progress.advance({ done: mailCount });
    const note = async (id: MessageId, sizeBytes: number): Promise<void> => {
      await file.note(id, sizeBytes);
    };
    const result = await writeMbox(request, file.sink, { server, after, note });
    await file.finish();
    return { ...result, existing: mailCount };
  } finally {
    await file.close();
  }
}

/**
 * Writes the mails of a server to a maildir, which is created if it does not exist. Skips mails that it already contains, read
 * or unread, so that a second export adds new mail only.
 */
export async function exportMaildir(request: ExportRequest, path: string): Promise<TransferResult> {
  const server = await chooseServer(request);
  await makeMaildir(path);
  const known = new Set((await listMaildir(path)).mails.map(({ id }) => id));
  let [messages, existing, smsOmitted] = [0, 0, 0];
  request.progress.expect(server.messages);
  for await (const message of walkMessages(request.source, [server.id], null)) {
    if (isSms(message)) smsOmitted += 1;
    else if (known.has(message.id)) existing += 1;
    else {
      await writeToMaildir(path, message);
      messages += 1;
      request.progress.advance({ messages: 1, bytes: message.raw.length });
    }
    request.progress.advance({ done: 1 });
  }
  return { ...emptyTransfer, servers: 1, messages, existing, smsOmitted };
}

interface MboxPart {
  readonly server: Server;
  readonly after: MessageId | null;
  readonly note: (id: MessageId, sizeBytes: number) => Promise<void>;
}

async function writeMbox(
  { source, progress }: ExportRequest,
  sink: ExportSink,
  { server, after, note }: MboxPart,
): Promise<TransferResult> {
  let [messages, smsOmitted] = [0, 0];
  progress.expect(server.messages);
  for await (const message of walkMessages(source, [server.id], after)) {
    if (isSms(message)) smsOmitted += 1;
    else {
      const entry = mboxEntry(message);
      await sink.write(entry);
      await note(message.id, entry.length);
      messages += 1;
      progress.advance({ messages: 1, bytes: message.raw.length });
    }
    progress.advance({ done: 1 });
  }
  await sink.flush();
  return { ...emptyTransfer, servers: 1, messages, smsOmitted };
}

/** Returns the selected server. Throws an `Error` for the operator unless there is exactly one. */
async function chooseServer({ source, servers }: ExportRequest): Promise<Server> {
  const [first, ...others] = await chooseServers(source, servers);
  if (first !== undefined && others.length === 0) return first;
  const names = [first, ...others].map((server) => server?.id).join(", ");
  throw new Error(`mbox and maildir contain the mail of one server; select it with --server (one of: ${names})`);
}

/** Whether a message is an SMS; decodes only messages without raw bytes. */
function isSms({ raw, detailJson }: WholeMessage): boolean {
  return raw.length === 0 && decodeDetail(detailJson).message.type === "SMS";
}

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
class MboxFile {
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
