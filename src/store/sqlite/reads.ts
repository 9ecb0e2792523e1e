import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes } from "../../core/ids.ts";
import type { AttachmentId, MessageId } from "../../core/ids.ts";
import { ChangeReads } from "./changes.ts";
import { unpack } from "./compression.ts";
import { Snapshot } from "./connection.ts";
import { neighbours } from "./id-range.ts";
import { KeyReads } from "./keys.ts";
import { PageReads } from "./pages.ts";
import { ServerReads } from "./servers.ts";

/** A column that may be too large to be read here. */
interface ColumnRow {
  readonly bytes: Uint8Array | null;
  readonly size: number | null;
}

/** The parts of a message that lie compressed. */
export type ContentPart = "detail" | "raw";

/** Everything that is read, over one connection. */
export class Reads {
  readonly snapshot: Snapshot;
  readonly servers: ServerReads;
  readonly keys: KeyReads;
  readonly changes: ChangeReads;
  readonly pages: PageReads;
  readonly #parts: Record<ContentPart, StatementSync>;
  readonly #owner: StatementSync;
  readonly #counts: StatementSync;

  constructor(database: DatabaseSync) {
    this.snapshot = new Snapshot(database);
    this.servers = new ServerReads(database);
    this.keys = new KeyReads(database);
    this.changes = new ChangeReads(database, this.servers);
    this.pages = new PageReads(database, this.servers, this.changes);
    const ofServer = "epoch = (select epoch from server where id = ?)";
    const part = (name: ContentPart) =>
      database.prepare(
        `select case when length(c.${name}) <= ? then c.${name} end as bytes, c.${name}_size as size
         from message m join content c on c.number = m.content where m.${ofServer} and m.id = ?`,
      );
    this.#parts = { detail: part("detail"), raw: part("raw") };
    this.#owner = database.prepare(`select id from message where ${ofServer} and id between ? and ?`);
    this.#counts = database.prepare(`select count(*) as serverCount,
      coalesce(sum(received_count + sent_count), 0) as messageCount,
      (select coalesce(sum(message_count), 0) from purge) as purgeBacklogCount from server`);
  }

  /**
   * A part of a message, plain; undefined when there is no such message, null when it takes more than
   * `storedBytesMax` on the medium and was left there.
   */
  part(id: MessageId, name: ContentPart, storedBytesMax: number): Uint8Array | null | undefined {
    const { server } = decodeMessageId(id);
    const row = this.#parts[name].get(storedBytesMax, server, idToBytes(id)) as unknown as ColumnRow | undefined;
    if (row === undefined) return undefined;
    return row.bytes === null ? null : unpack({ bytes: row.bytes, size: row.size });
  }

  ownerOf(id: AttachmentId): MessageId | undefined {
    const { first, last } = neighbours(idToBytes(id));
    const owner = this.#owner.get(decodeMessageId(id).server, first, last)?.["id"] as Uint8Array | undefined;
    return owner === undefined ? undefined : idFromBytes(owner);
  }

  counts(): { readonly serverCount: number; readonly messageCount: number; readonly purgeBacklogCount: number } {
    return this.#counts.get() as unknown as ReturnType<Reads["counts"]>;
  }
}
