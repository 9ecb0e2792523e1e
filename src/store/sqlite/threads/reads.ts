import type { DatabaseSync, StatementSync } from "node:sqlite";
import { freeMemory } from "../../../core/free-memory.ts";
import { decodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { AttachmentId, MessageId } from "../../../core/ids.ts";
import { ChangeReads } from "../messages/changes.ts";
import { contentChecksum, damagedMessage, ignoreDamage, isDamage } from "../content/checksums.ts";
import type { OnDamage } from "../content/checksums.ts";
import { Snapshot } from "../connection/connection.ts";
import { columnOf, layoutColumns, readContent, readMessageContent } from "../content/content.ts";
import type { ContentLayout, ContentPart } from "../content/content.ts";
import type { MessageContent } from "../../raw-content.ts";
import { neighbours } from "../messages/id-range.ts";
import { RecordReads } from "../account/record-stores.ts";
import { PageReads } from "../messages/pages.ts";
import { RawChunkReads } from "../content/raw-chunks.ts";
import { SegmentReads } from "../text-index/segments.ts";
import { ServerReads } from "../account/servers.ts";

interface ContentRow extends ContentLayout {
  /** Null where the row is missing. */
  readonly number: number | null;
  readonly addresses: string;
  readonly checksum: number;
  readonly detailLength: number;
  readonly rawLength: number | null;
  readonly bodyLength: number | null;
  readonly rawChunkCount: number;
}

/** Bounds of a part that is read. */
export interface PartBounds {
  /** Size of its column. */
  readonly storedBytesMax: number;
  /** Size of its column before compression. */
  readonly plainBytesMax: number;
}

function exceeds(layout: ContentRow, column: ContentPart, { storedBytesMax, plainBytesMax }: PartBounds): boolean {
  if ((layout[`${column}Length`] ?? 0) > storedBytesMax) return true;
  // Parts that are stored together are small.
  return layout.isTogether === 0 && (layout[`${column}Size`] ?? 0) > plainBytesMax;
}

/** All reads over one connection. */
export class Reads {
  readonly snapshot: Snapshot;
  readonly servers: ServerReads;
  readonly records: RecordReads;
  readonly changes: ChangeReads;
  readonly segments: SegmentReads;
  readonly pages: PageReads;
  readonly rawChunks: RawChunkReads;
  readonly #layout: StatementSync;
  readonly #columns: Record<ContentPart, StatementSync>;
  readonly #owner: StatementSync;

  constructor(database: DatabaseSync, onDamage: OnDamage = ignoreDamage) {
    this.snapshot = new Snapshot(database);
    this.servers = new ServerReads(database);
    this.records = new RecordReads(database);
    this.changes = new ChangeReads(database, this.servers);
    this.segments = new SegmentReads(database);
    this.pages = new PageReads(database, this.servers, { changes: this.changes, onDamage });
    this.rawChunks = new RawChunkReads(database);
    const ofServer = "epoch = (select epoch from server where id = ?)";
    this.#layout = database.prepare(
      `select c.number, c.addresses, c.checksum, c.raw_chunk_count as rawChunkCount, ${layoutColumns},
         length(c.detail) as detailLength, length(c.raw) as rawLength, length(c.body) as bodyLength
       from message m left join content c on c.number = m.content where m.${ofServer} and m.id = ?`,
    );
    this.#columns = {
      detail: database.prepare("select detail as bytes from content where number = ?"),
      raw: database.prepare("select raw as bytes from content where number = ?"),
      body: database.prepare("select body as bytes from content where number = ?"),
    };
    this.#owner = database.prepare(`select id from message where ${ofServer} and id between ? and ?`);
  }

  /**
   * Returns a part of a message, decompressed; undefined when the message does not exist, null without reading it when it is
   * larger than `bounds`. Throws `data_damaged` when it has changed on the disk.
   */
  part(id: MessageId, name: ContentPart, bounds?: PartBounds): Uint8Array | null | undefined {
    const layout = this.#ownLayout(id);
    if (layout === undefined) return undefined;
    const column = columnOf(name, layout);
    const isInChunks = column === "raw" && layout.rawChunkCount > 0;
    if (bounds !== undefined && (isInChunks || exceeds(layout, column, bounds))) return null;
    const bytes = isInChunks ? this.rawChunks.whole(layout.number) : this.#columnOf(layout.number, column);
    try {
      const plain = readContent(bytes, name, layout);
      // The idle thread of a reader would keep the compressed form of a large part until its next garbage collection.
      if (plain.buffer !== bytes.buffer) freeMemory(bytes);
      return plain;
    } catch (error) {
      throw isDamage(error) ? damagedMessage(idToBytes(id), `its ${name} does not decompress`) : error;
    }
  }

  /** As {@link part} for the detail, with the raw bytes where they are in the same frame. */
  content(id: MessageId, bounds: PartBounds): MessageContent | null | undefined {
    const layout = this.#ownLayout(id);
    if (layout === undefined) return undefined;
    if (exceeds(layout, "detail", bounds)) return null;
    try {
      return readMessageContent(this.#columnOf(layout.number, "detail"), layout);
    } catch (error) {
      throw isDamage(error) ? damagedMessage(idToBytes(id), "its detail does not decompress") : error;
    }
  }

  #columnOf(number: number, column: ContentPart): Uint8Array {
    return this.#columns[column].get(number)?.["bytes"] as Uint8Array;
  }

  #ownLayout(id: MessageId): (ContentRow & { readonly number: number }) | undefined {
    const bytes = idToBytes(id);
    const layout = this.#layout.get(decodeMessageId(id).server, bytes) as unknown as ContentRow | undefined;
    if (layout === undefined) return undefined;
    const { number } = layout;
    if (number === null) throw damagedMessage(bytes, "its content row is missing");
    if (layout.checksum !== contentChecksum(bytes, layout)) {
      throw damagedMessage(bytes, "the checksum of its content row does not match");
    }
    return { ...layout, number };
  }

  ownerOf(id: AttachmentId): MessageId | undefined {
    const { first, last } = neighbours(idToBytes(id));
    const owner = this.#owner.get(decodeMessageId(id).server, first, last)?.["id"] as Uint8Array | undefined;
    return owner === undefined ? undefined : idFromBytes(owner);
  }
}
