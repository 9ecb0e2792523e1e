import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import { inMemoryContent, chunkedBytesMin, chunkedContent } from "../../raw-content.ts";
import type { MessageStore } from "../../store.ts";
import type { PartBounds } from "../threads/reads.ts";
import type { ReaderCalls } from "../threads/calls.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";
import type { ContentPart } from "./content.ts";

/** Larger columns are read and decompressed on the reader thread. */
const localBounds: PartBounds = { storedBytesMax: 128 * 1024, plainBytesMax: chunkedBytesMin };

/** Reads of details and raw bytes, as {@link MessageStore} describes them. */
export type ContentStore = Pick<
  MessageStore,
  | "getContent"
  | "getDetail"
  | "getRaw"
  | "openRaw"
  | "measureMessages"
  | "measureRaw"
  | "readMessages"
  | "findMessageOfAttachment"
>;

/** Creates the store of message content: small parts are read locally, large ones on the reader thread. */
export function createContentStore(reader: Thread<ReaderCalls>, local: LocalReads): ContentStore {
  const observed = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } catch (error) {
      throw local.reported(error);
    }
  };
  const readPart = async (id: MessageId, name: ContentPart): Promise<Uint8Array | undefined> => {
    const part = local.read((reads) => reads.part(id, name, localBounds));
    return part === null ? await observed(reader.call("part", [id, name])) : part;
  };
  return {
    getDetail: async (id) => readPart(id, "detail"),
    getContent: async (id) => {
      const content = local.read((reads) => reads.content(id, localBounds));
      if (content !== null) return content;
      const detail = await readPart(id, "detail");
      return detail && { detail, raw: null };
    },
    getRaw: async (id) => readPart(id, "raw"),
    openRaw: async (id) => {
      const small = local.read((reads) => reads.part(id, "raw", localBounds));
      if (small !== null) return small && inMemoryContent(small);
      const location = local.read(({ rawChunks }) => rawChunks.locate(id));
      if (location === undefined) return undefined;
      if (location.sizeBytes <= chunkedBytesMin) {
        const bytes = await readPart(id, "raw");
        return bytes && inMemoryContent(bytes);
      }
      return chunkedContent({ ...location, readChunk: async (at) => await reader.call("rawChunk", [id, at]) });
    },
    measureMessages: async (server, ids) =>
      local.read((reads) => ids.map((id) => reads.rawChunks.sizeBytes(server, id))),
    measureRaw: async (server, ids) =>
      local.read((reads) =>
        ids.map((id) => (decodeMessageId(id).server === server ? (reads.rawChunks.locate(id)?.sizeBytes ?? 0) : 0)),
      ),
    readMessages: async (server, after, bytesMax) => observed(reader.call("messages", [server, after, bytesMax])),
    findMessageOfAttachment: async (id) => local.read((reads) => reads.ownerOf(id)),
  };
}
