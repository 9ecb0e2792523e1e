import type { DatabaseSync, StatementSync } from "node:sqlite";
import { compress, freeCompressed } from "../../compression.ts";
import { splitColumn, type Content, type ContentLayout } from "../../content/layout.ts";
import type { IncomingMessage } from "../messages/message-batch.ts";
import { contentChecksum } from "./content-tables.ts";
import { RawChunkWrites } from "./raw-chunks.ts";

/** Content as its row stores it. */
export interface ContentColumns extends Omit<ContentLayout, "isTogether"> {
  readonly detail: Uint8Array;
  readonly raw: Uint8Array | null;
  readonly body: Uint8Array | null;
  /** Chunks of the raw bytes where they are too large for one column, which is then empty. */
  readonly rawChunks: readonly Uint8Array[];
}

const noBytes = new Uint8Array(0);
/** Raw bytes of a larger stored size are split into rows, because SQLite reads only complete columns. */
const rawColumnBytesMax = 1024 * 1024;
/** Size of a row of raw bytes. */
const rawChunkBytes = 256 * 1024;

/** Parts of a larger size before compression are stored separately, so that reading one does not read the others. */
const togetherBytesMax = 192 * 1024;

/** Content and, as `whole`, the concatenation of its parts in the order of {@link Content}. */
export interface WholeContent extends Content {
  readonly whole: Uint8Array;
}

/** Compresses content for its row, passes the columns to `write`, and frees their buffers. */
export function writeContent<Result>(content: WholeContent, write: (columns: ContentColumns) => Result): Result {
  const { detail, raw, body, whole } = content;
  if (whole.length > 0 && whole.length <= togetherBytesMax) {
    const together = compress(whole);
    const sizes = { detailSize: detail.length, rawSize: raw.length, bodySize: body.length };
    const result = write({ ...sizes, detail: together.bytes, raw: null, body: null, rawChunks: [] });
    freeCompressed(together);
    return result;
  }
  const [first, second, third] = [compress(detail), compress(raw), compress(body)];
  const sizes = { detailSize: first.size, rawSize: second.size, bodySize: third.size };
  const rawChunks = second.bytes.length > rawColumnBytesMax ? splitColumn(second.bytes, rawChunkBytes) : [];
  const rawColumn = rawChunks.length > 0 ? noBytes : second.bytes;
  const result = write({ ...sizes, detail: first.bytes, raw: rawColumn, body: third.bytes, rawChunks });
  for (const compressed of [first, second, third]) freeCompressed(compressed);
  return result;
}

/** Writes the large parts of messages, for use inside the writer's transaction. */
export class ContentInserts {
  readonly #insert: StatementSync;
  readonly #chunks: RawChunkWrites;

  constructor(database: DatabaseSync) {
    this.#chunks = new RawChunkWrites(database);
    this.#insert = database.prepare(
      `insert into content (addresses, detail_size, raw_size, body_size, detail, body, raw, raw_chunk_count, checksum)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** Writes the content of a message with its keys; returns the number of its row. */
  add(id: Uint8Array, message: IncomingMessage, addresses: string): number {
    return writeContent(message, (columns) => {
      const { detailSize, rawSize, bodySize, detail, body, raw, rawChunks } = columns;
      const sizes = [detailSize, rawSize, bodySize] as const;
      const rest = [rawChunks.length, contentChecksum(id, { ...columns, addresses })] as const;
      const number = Number(this.#insert.run(addresses, ...sizes, detail, body, raw, ...rest).lastInsertRowid);
      this.#chunks.add(number, rawChunks);
      return number;
    });
  }
}
