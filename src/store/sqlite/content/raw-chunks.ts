import type { DatabaseSync, StatementSync } from "node:sqlite";
import { joinAndFree } from "../../../core/process-resources.ts";

/** Largest number of chunks of one content: 16 GiB. */
const chunkCountMax = 65_536;

/** Returns a function that reads the concatenation of all chunks of a content. */
export function bindReadChunks(database: DatabaseSync): (content: number) => Uint8Array {
  const chunks = database.prepare("select bytes from raw_chunk where number between ? and ? order by number");
  return (content) => {
    const start = content * chunkCountMax;
    return joinAndFree(chunks.all(start, start + chunkCountMax - 1).map((row) => row["bytes"] as Uint8Array));
  };
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
