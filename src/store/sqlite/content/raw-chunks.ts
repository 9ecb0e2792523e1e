import type { DatabaseSync, StatementSync } from "node:sqlite";
import { joinAndFree } from "../../../core/free-memory.ts";
import { decodeMessageId, idToBytes } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { rawChunkBytes } from "./content.ts";

/** Largest number of chunks of one content: 16 GiB. */
const chunkCountMax = 65_536;
/** Location and format of the stored raw bytes of a message. */
export interface RawLocation {
  /** Size before compression. */
  readonly sizeBytes: number;
  readonly isCompressed: boolean;
  readonly chunkCount: number;
}

interface LocationRow {
  readonly number: number;
  readonly rawSize: number | null;
  readonly rawLength: number | null;
  readonly rawChunkCount: number;
}

/** Reads raw bytes chunk by chunk. */
export class RawChunkReads {
  readonly #locate: StatementSync;
  readonly #size: StatementSync;
  readonly #storedBytes: StatementSync;
  readonly #chunk: StatementSync;
  readonly #chunks: StatementSync;
  readonly #column: StatementSync;

  constructor(database: DatabaseSync) {
    this.#locate = database.prepare(
      `select c.number, c.raw_size as rawSize, length(c.raw) as rawLength, c.raw_chunk_count as rawChunkCount
       from message m join content c on c.number = m.content
       where m.epoch = (select epoch from server where id = ?) and m.id = ?`,
    );
    this.#size = database.prepare(
      `select coalesce(c.detail_size, length(c.detail)) +
         coalesce(c.raw_size, length(c.raw) + c.raw_chunk_count * ${rawChunkBytes}, 0) as bytes
       from message m join content c on c.number = m.content
       where m.epoch = (select epoch from server where id = ?) and m.id = ?`,
    );
    const range = "where number between ? and ?";
    this.#storedBytes = database.prepare(`select coalesce(sum(length(bytes)), 0) as bytes from raw_chunk ${range}`);
    this.#chunk = database.prepare("select bytes from raw_chunk where number = ?");
    this.#chunks = database.prepare(`select bytes from raw_chunk ${range} order by number`);
    this.#column = database.prepare("select raw as bytes from content where number = ?");
  }

  /** Returns the location of the raw bytes; undefined when the message does not exist. */
  locate(id: MessageId): RawLocation | undefined {
    const row = this.#row(id);
    if (row === undefined) return undefined;
    const { number, rawSize, rawLength, rawChunkCount } = row;
    const isCompressed = rawSize !== null;
    if (rawChunkCount === 0) {
      const stored = rawLength ?? 0;
      return { sizeBytes: rawSize ?? stored, isCompressed, chunkCount: stored > 0 ? 1 : 0 };
    }
    const sizeBytes = rawSize ?? Number(this.#storedBytes.get(...rangeOf(number))?.["bytes"]);
    return { sizeBytes, isCompressed, chunkCount: rawChunkCount };
  }

  /** Returns the approximate size of detail and raw bytes before compression; 0 when the message does not exist. */
  sizeBytes(server: ServerId, id: MessageId): number {
    return Number(this.#size.get(server, idToBytes(id))?.["bytes"] ?? 0);
  }

  /** Returns a chunk by its position, as stored; undefined when the message was deleted. */
  chunk(id: MessageId, at: number): Uint8Array | undefined {
    const row = this.#row(id);
    if (row === undefined) return undefined;
    const { number, rawChunkCount } = row;
    const found = rawChunkCount > 0 ? this.#chunk.get(number * chunkCountMax + at) : this.#column.get(number);
    return found?.["bytes"] as Uint8Array | undefined;
  }

  /** Returns the concatenation of all chunks of a content. */
  whole(content: number): Uint8Array {
    return joinAndFree(this.#chunks.all(...rangeOf(content)).map((row) => row["bytes"] as Uint8Array));
  }

  #row(id: MessageId): LocationRow | undefined {
    return this.#locate.get(decodeMessageId(id).server, idToBytes(id)) as unknown as LocationRow | undefined;
  }
}

/** Writes raw bytes in chunks; a trigger of the schema removes them with their content. */
export class RawChunkWrites {
  readonly #insert: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare("insert into raw_chunk (number, bytes) values (?, ?)");
  }

  add(content: number, chunks: readonly Uint8Array[]): void {
    if (chunks.length > chunkCountMax) throw new Error("content of more than 16 GiB");
    for (const [at, bytes] of chunks.entries()) this.#insert.run(content * chunkCountMax + at, bytes);
  }
}

function rangeOf(content: number): readonly [number, number] {
  return [content * chunkCountMax, content * chunkCountMax + chunkCountMax - 1];
}
