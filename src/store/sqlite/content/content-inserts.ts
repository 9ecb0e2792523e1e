import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IncomingMessage } from "../messages/message-batch.ts";
import { contentChecksum } from "./checksums.ts";
import { writeContent } from "./content.ts";
import { RawChunkWrites } from "./raw-chunks.ts";

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
