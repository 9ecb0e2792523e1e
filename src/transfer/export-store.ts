/** Export of a store to NDJSON. */
import type { FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { decodeMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import { readDeliveryState, type StoreSource } from "../store/store-source.ts";
import { LineTally, openExportFile, sinkToFile, sinkToStream, type ExportSink } from "./export-file.ts";
import { formatName, formatVersion, type EndedDelivery, type HeaderLine, headerShape } from "./export-lines.ts";
import {
  accountLines,
  chooseServers,
  encodeLine,
  encodeMessage,
  usageLine,
  walkMessages,
  messageOfLine,
} from "./encode-lines.ts";
import { lineBytesMax } from "./import-lines.ts";
import { emptyTransfer, type TransferResult, type Progress } from "./progress.ts";
import { readLines, type Line } from "./read-lines.ts";

const lineFeed = Buffer.from("\n");

/** Options of an export. */
export interface ExportRequest {
  readonly source: StoreSource;
  /** Servers to export; null for all servers and the account. */
  readonly servers: readonly ServerId[] | null;
  readonly writtenBy: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly progress: Progress;
}

/** Result of an export to a file. */
export interface FileExport {
  readonly result: TransferResult;
  /** Time of writing of the complete export that the file already contains; null when this call wrote it. */
  readonly foundFrom: string | null;
}

/** Writes an export to a stream. Rejects with an `Error` for the operator when a requested server does not exist. */
export async function exportToStream(request: ExportRequest, stream: Writable): Promise<TransferResult> {
  const sink = sinkToStream(stream);
  try {
    return await writeAll(request, sink);
  } finally {
    await sink.close();
  }
}

/**
 * Writes an export to a file with mode 0600. Resumes an interrupted export; leaves a complete one unchanged. Rejects with an
 * `Error` for the operator when the file is anything else, or an export of other servers.
 */
export async function exportToFile(request: ExportRequest, path: string): Promise<FileExport> {
  const { handle, isNew } = await openExportFile(path);
  try {
    const started = isNew ? null : await readStartedExport(handle, path);
    if (started !== null) refuseOtherServers(started.header.servers, request.servers, path);
    if (started?.isWhole === true) return { result: emptyTransfer, foundFrom: started.header.writtenAt };
    const last = started?.last ?? null;
    // The lines before the first message are few and may be outdated: they are written again.
    const sink = await sinkToFile(handle, last === null ? 0 : (started?.tally.bytes ?? 0));
    const result =
      started === null || last === null ? await writeAll(request, sink) : await resume(request, sink, started);
    return { result, foundFrom: null };
  } finally {
    await handle.close();
  }
}

async function writeAll(request: ExportRequest, sink: ExportSink): Promise<TransferResult> {
  const { source, servers: requested, writtenBy, now } = request;
  const servers = await chooseServers(source, requested);
  const tally = new LineTally();
  const put = async (line: Buffer): Promise<void> => {
    await putLine(sink, tally, line);
  };
  const writtenAt = new Date(now).toISOString();
  const header: HeaderLine = {
    kind: "header",
    format: formatName,
    version: formatVersion,
    writtenBy,
    writtenAt,
    servers: requested,
  };
  await put(encodeLine(header));
  for await (const line of accountLines(source, servers, requested === null)) await put(line);
  request.progress.expect(servers.reduce((sum, { messages }) => sum + messages, 0));
  return await writeMessages(request, sink, { tally, servers: servers.map(({ id }) => id), last: null });
}

async function resume(request: ExportRequest, sink: ExportSink, started: StartedExport): Promise<TransferResult> {
  const servers = await request.source.listServers();
  const ours = servers.filter(({ id }) => started.servers.includes(id));
  request.progress.expect(ours.reduce((sum, { messages }) => sum + messages, 0));
  const existing = started.tally.messages;
  request.progress.advance({ done: existing });
  return { ...(await writeMessages(request, sink, started)), existing };
}

async function writeMessages(
  { source, servers: requested, progress }: ExportRequest,
  sink: ExportSink,
  { tally, servers, last }: Pick<StartedExport, "tally" | "servers" | "last">,
): Promise<TransferResult> {
  let waiting = 0;
  const before = tally.messages;
  for await (const message of walkMessages(source, servers, last)) {
    const delivery = await outcomeOf(source, message.id);
    if (delivery === "waiting") waiting += 1;
    const line = encodeMessage(message, delivery === "waiting" ? undefined : delivery);
    if (line.length > lineBytesMax)
      throw new Error(`Message ${message.id} is too large for a line of ${lineBytesMax} bytes`);
    tally.messages += 1;
    await putLine(sink, tally, line);
    progress.advance({ done: 1, messages: 1, bytes: message.raw.length });
  }
  if (requested === null) await putLine(sink, tally, await usageLine(source));
  const { lines, messages } = tally;
  await putLine(sink, tally, encodeLine({ kind: "end", lines, messages, sha256: tally.sha256() }));
  await sink.flush();
  return { ...emptyTransfer, servers: servers.length, messages: messages - before, waiting };
}

async function putLine(sink: ExportSink, tally: LineTally, line: Buffer): Promise<void> {
  tally.add(line);
  await sink.write(line);
  await sink.write(lineFeed);
}

/** Returns the outcome of a delivery; `waiting` while it is pending. */
async function outcomeOf(source: StoreSource, id: MessageId): Promise<EndedDelivery | "waiting" | undefined> {
  if (decodeMessageId(id).direction === "Received") return undefined;
  const delivery = await readDeliveryState(source, id);
  if (delivery === undefined) return undefined;
  const { status, ...rest } = delivery;
  return status === "Queued" ? "waiting" : { status, ...rest };
}

function refuseOtherServers(
  found: readonly ServerId[] | null,
  requested: readonly ServerId[] | null,
  path: string,
): void {
  const name = (ids: readonly ServerId[] | null): string => ids?.toSorted().join(", ") ?? "all servers";
  if (name(found) === name(requested)) return;
  throw new Error(`${path} is an export of ${name(found)}, not of ${name(requested)}; an export never overwrites`);
}

/** Complete lines of a file. */
interface StartedExport {
  readonly header: HeaderLine;
  readonly tally: LineTally;
  /** Servers in the file. */
  readonly servers: readonly ServerId[];
  /** Last message in the file; null when there is none. */
  readonly last: MessageId | null;
  /** Whether the file is complete. */
  readonly isWhole: boolean;
}

const endPrefix = '{"kind":"end"';
const serverPattern = /^\{"kind":"server","id":"([a-z0-9]{8})"/;
const headerBytesMax = 16 * 1024 * 1024;

/** Reads an interrupted export; null when the file has no complete header. Throws an `Error` for the operator when it is another file. */
async function readStartedExport(handle: FileHandle, path: string): Promise<StartedExport | null> {
  const reader = new StartedExportReader(path);
  const chunks = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 });
  for await (const lines of readLines(chunks, lineBytesMax)) for (const line of lines) reader.take(line);
  return reader.found();
}

class StartedExportReader {
  readonly #path: string;
  readonly #tally = new LineTally();
  readonly #servers: ServerId[] = [];
  #header: HeaderLine | null = null;
  #last: MessageId | null = null;
  #isWhole = false;

  constructor(path: string) {
    this.#path = path;
  }

  take({ bytes, isWhole }: Line): void {
    if (!isWhole && (this.#header !== null || isTornHeader(bytes))) return;
    const id = messageOfLine(bytes);
    if (this.#header === null) this.#header = readHeader(bytes, this.#path);
    else if (id === undefined) this.#takeSmall(bytes.toString("latin1", 0, 40));
    this.#last = id ?? this.#last;
    this.#tally.add(bytes);
    if (id !== undefined) this.#tally.messages += 1;
  }

  found(): StartedExport | null {
    if (this.#header === null) return null;
    const [header, tally, servers] = [this.#header, this.#tally, this.#servers];
    return { header, tally, servers, last: this.#last, isWhole: this.#isWhole };
  }

  #takeSmall(start: string): void {
    const server = serverPattern.exec(start)?.[1];
    if (server !== undefined) this.#servers.push(server as ServerId);
    this.#isWhole = start.startsWith(endPrefix);
  }
}

function isTornHeader(bytes: Buffer): boolean {
  const start = `{"kind":"header","format":"${formatName}"`;
  return start.startsWith(bytes.toString("latin1", 0, start.length));
}

function readHeader(bytes: Buffer, path: string): HeaderLine {
  const refusal = `${path} exists and is not an export that can be resumed; an export never overwrites`;
  if (bytes.length > headerBytesMax) throw new Error(refusal);
  try {
    const header = headerShape(JSON.parse(bytes.toString("utf8")), "");
    if (header.version === formatVersion) return header;
  } catch (error) {
    throw new Error(refusal, { cause: error });
  }
  throw new Error(refusal);
}
