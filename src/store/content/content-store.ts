/** Reads of details and raw bytes, over calls of their statements. */
import { freeMemory, joinAndFree } from "../../core/process-resources.ts";
import type { MessageId } from "../../core/ids.ts";
import { type Annotation, storedMarksOf } from "../mark-store.ts";
import { chunkedBytesMin, chunkedContent, inMemoryContent, type RawContent } from "../raw-content.ts";
import { readAnnotation } from "../records/annotation-rows.ts";
import type { ContentRow, ReadPart, WholeRow } from "../records/content-rows.ts";
import type { RecordCalls } from "../records/records.ts";
import type { MessageStore, WholeMessage } from "../store.ts";
import { damagedMessage, isDamage, readContentAside, readTogether, type ContentLayout } from "./layout.ts";

/** Methods of a store that read content. */
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

/** Content that is stored outside of the database. */
export interface OutsideContent {
  /** Returns a part; undefined when it is not there. */
  readonly read: (id: MessageId, part: ReadPart) => Promise<Uint8Array | undefined>;
  /** Returns a chunk of a part; undefined when it is not there. */
  readonly readChunk: (id: MessageId, part: ReadPart, at: number) => Promise<Uint8Array | undefined>;
}

/** Checks of rows that may have changed on the disk; they throw `data_damaged`. */
export interface ContentChecks {
  readonly content: (id: MessageId, row: ContentLayout) => void;
  readonly summary: (id: MessageId, row: WholeRow) => void;
}

/** Source of {@link createContentStore}. */
export interface ContentSource {
  readonly calls: Pick<RecordCalls, "annotations" | "content" | "marks">;
  /** Null where all content is in the database. */
  readonly outside: OutsideContent | null;
  /** Null where the database checks its rows. */
  readonly checks: ContentChecks | null;
}

/** Id before those of all messages. */
const beforeAll = "00000000-0000-0000-0000-000000000000" as MessageId;

/** Creates the store of content. Large parts are decompressed off the calling thread. */
export function createContentStore(source: ContentSource): ContentStore {
  const { content } = source.calls;
  return {
    getDetail: async (id) => await readPart(source, id, "detail"),
    getRaw: async (id) => await readPart(source, id, "raw"),
    getContent: async (id) => {
      const row = await findPart(source, id, "detail");
      if (row === undefined) return undefined;
      const { column } = row;
      if (column !== null && row.isTogether === 1) {
        const [detail, raw] = await damageOf(id, "detail", () => readTogether(column, row));
        return { detail, raw };
      }
      const detail = await readFound(source, row, { id, part: "detail" });
      return detail && { detail, raw: null };
    },
    openRaw: async (id) => await openRaw(source, id),
    measureMessages: async (server, ids) => {
      return (await content.measureContent(server, ids)).map(({ detail, raw }) => detail + raw);
    },
    measureRaw: async (server, ids) => (await content.measureContent(server, ids)).map(({ raw }) => raw),
    findMessageOfAttachment: async (id) => await content.findOwner(id),
    readMessages: async (server, after, bytesMax) => {
      for (let from = after ?? beforeAll; ;) {
        const rows = await content.readWhole(server, from, bytesMax);
        const ids = rows.map(({ id }) => id);
        const marks = await source.calls.marks.readMarks(server, ids);
        const marked = new Map(marks.map((one) => [one.id, storedMarksOf(one)]));
        const messages: WholeMessage[] = [];
        for (const row of rows) {
          const message = await readWhole(source, row);
          const own = marked.get(row.id);
          if (message !== undefined) messages.push(own === undefined ? message : { ...message, marks: own });
        }
        const last = ids.at(-1);
        if (messages.length > 0 || last === undefined) return messages;
        from = last;
      }
    },
  };
}

/** Reads a part of a message; undefined when there is no such message. */
export async function readPart(source: ContentSource, id: MessageId, part: ReadPart): Promise<Uint8Array | undefined> {
  const row = await findPart(source, id, part);
  return row && (await readFound(source, row, { id, part }));
}

async function findPart(
  { calls: { content }, checks }: ContentSource,
  id: MessageId,
  part: ReadPart,
): Promise<ContentRow | undefined> {
  const row = await content.findContent(id, part);
  if (row !== undefined) checks?.content(id, row);
  return row;
}

/** Returns undefined when the message was deleted meanwhile. */
async function readFound(
  source: ContentSource,
  found: ContentRow,
  { id, part }: { readonly id: MessageId; readonly part: ReadPart },
): Promise<Uint8Array | undefined> {
  const isLarge = found.column === null && found.chunkCount === 0;
  const row = isLarge ? await source.calls.content.readContent(id, part) : found;
  if (row === undefined) return undefined;
  const stored = row.chunkCount > 0 ? await readChunks(source, { id, part, count: row.chunkCount }) : row.column;
  if (stored === undefined || stored === null) return undefined;
  const plain = await damageOf(id, part, () => readContentAside(stored, part, row));
  if (plain.buffer !== stored.buffer) freeMemory(stored);
  return plain;
}

/** Reads chunks one at a time, so that no result is huge; undefined when one is missing. */
async function readChunks(
  { calls: { content }, outside }: ContentSource,
  { id, part, count }: { readonly id: MessageId; readonly part: ReadPart; readonly count: number },
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < count; at += 1) {
    const bytes = await content.readChunk(id, part, at);
    if (bytes === undefined) return at === 0 ? await outside?.read(id, part) : undefined;
    chunks.push(bytes);
  }
  return joinAndFree(chunks);
}

async function openRaw(source: ContentSource, id: MessageId): Promise<RawContent | undefined> {
  const row = await findPart(source, id, "raw");
  if (row === undefined) return undefined;
  const { chunkCount } = row;
  const sizeBytes = row.rawSize ?? 0;
  if (row.isTogether === 1 || (chunkCount === 0 && sizeBytes <= chunkedBytesMin)) {
    const bytes = await readFound(source, row, { id, part: "raw" });
    return bytes && inMemoryContent(bytes);
  }
  const { content } = source.calls;
  const readChunk = async (at: number): Promise<Uint8Array | undefined> =>
    chunkCount === 0
      ? (row.column ?? (await content.readContent(id, "raw"))?.column ?? undefined)
      : ((await content.readChunk(id, "raw", at)) ?? (await source.outside?.readChunk(id, "raw", at)));
  return chunkedContent({ sizeBytes, chunkCount: Math.max(1, chunkCount), readChunk });
}

/** Returns undefined when the message was deleted while its chunks were read. */
async function readWhole(source: ContentSource, row: WholeRow): Promise<WholeMessage | undefined> {
  const { id, summary } = row;
  source.checks?.summary(id, row);
  source.checks?.content(id, row);
  const content = await readBoth(source, row);
  if (content === undefined) return undefined;
  const whole = { id, summaryJson: Buffer.from(summary), ...content };
  if (!row.hasAnnotations) return whole;
  const annotations: Annotation[] = [];
  for (const stored of await source.calls.annotations.listAnnotations(id)) {
    annotations.push(await damageOf(id, stored.kind, () => readAnnotation(stored)));
  }
  return { ...whole, annotations };
}

async function readBoth(
  source: ContentSource,
  row: WholeRow,
): Promise<Pick<WholeMessage, "detailJson" | "raw"> | undefined> {
  const { id, detail: column, raw, detailChunkCount, rawChunkCount } = row;
  if (raw === null) {
    const [detailJson, together] = await damageOf(id, "detail", () => readTogether(column, row));
    return { detailJson, raw: together };
  }
  const detailJson = await readFound(source, { ...row, column, chunkCount: detailChunkCount }, { id, part: "detail" });
  const own = await readFound(source, { ...row, column: raw, chunkCount: rawChunkCount }, { id, part: "raw" });
  return detailJson && own && { detailJson, raw: own };
}

async function damageOf<Result>(id: MessageId, name: string, read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw isDamage(error) ? damagedMessage(id, `its ${name} does not decompress`) : error;
  }
}
