/** File of an interrupted export. */
import type { FileHandle } from "node:fs/promises";
import type { MessageId, ServerId } from "../core/ids.ts";
import { messageOfLine } from "./encode-lines.ts";
import { LineTally } from "./export-file.ts";
import { formatName, formatVersion, headerShape, type HeaderLine } from "./export-lines.ts";
import { lineBytesMax } from "./limits.ts";
import { readLines, type Line } from "./read-lines.ts";

/** Complete lines of a file. */
export interface StartedExport {
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
export async function readStartedExport(handle: FileHandle, path: string): Promise<StartedExport | null> {
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
