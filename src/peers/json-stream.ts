import { setImmediate as nextTurn } from "node:timers/promises";
import { textChunks } from "../http/wire/message-json.ts";

/** JSON as written, or the content of a string in UTF-8 without its quotes. */
export type JsonSegment = string | Uint8Array;

/** Bytes of JSON that are joined before they are sent. */
const chunkBytesMin = 64 * 1024;

/**
 * Yields the bytes of JSON whose large strings are escaped in chunks, with a turn of the event loop between them. Bytes that
 * are not UTF-8 become U+FFFD.
 */
export async function* streamJson(
  segments: AsyncIterable<JsonSegment> | Iterable<JsonSegment>,
): AsyncGenerator<Uint8Array, void> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const segment of segments) {
    const chunks = typeof segment === "string" ? [Buffer.from(segment, "utf8")] : textChunks(segment);
    for (const chunk of chunks) {
      waiting.push(chunk);
      bytes += chunk.length;
      if (bytes < chunkBytesMin) continue;
      yield Buffer.concat(waiting);
      [waiting, bytes] = [[], 0];
      await nextTurn();
    }
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
