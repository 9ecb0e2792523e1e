import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes } from "../../../core/ids.ts";
import type { MessageId, MessageIdParts, ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import { storedBytes, type ServerQuota } from "../../../core/server.ts";
import type { ExpiryRule, InsertOptions, InsertOutcome } from "../../store.ts";
import { compress, freeCompressed } from "../../compression.ts";
import type { Journal } from "./changes.ts";
import { isDamage } from "../../content/damage.ts";
import { summaryChecksum } from "../content/checksums.ts";
import { ContentInserts } from "../content/content-inserts.ts";
import { readContent, type ContentLayout } from "../../content/layout.ts";
import { layoutColumns } from "../content/content-tables.ts";
import { neighbours, type IdRange } from "./id-range.ts";
import { keyRoles, keysIn, storedKeys, type StoredKeys } from "./key-roles.ts";
import { addCompanions, requireQuotas } from "../../records/message-companions.ts";
import type { RecordRows } from "../../records/records.ts";
import { recordRowsOf } from "../account/record-stores.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import { takeExpired } from "../../records/expired-messages.ts";
import type { IncomingMessage } from "./message-batch.ts";
import type { RecentGramWrites } from "../../signatures/recent-grams.ts";
import { contentBytes } from "./content-bytes.ts";
import { bindReadChunks } from "../content/raw-chunks.ts";
import { removeReparse } from "../../queues/added-work.ts";
import { ServerReads } from "../account/servers.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import { bindCountUsage } from "../account/usage.ts";

interface NeighbourRow extends ContentLayout {
  readonly id: Uint8Array;
  readonly sequence: number;
  readonly summary: Uint8Array;
  /** The column that holds the raw bytes. */
  readonly column: Uint8Array;
  readonly content: number;
  readonly rawChunkCount: number;
}

interface DeletedRow {
  readonly content: number;
  readonly addresses: string;
  readonly bytes: number;
}

const insertSubject = "insert into subject (epoch, id, content, text, fields, size) values (?, ?, ?, ?, ?, ?)";

/** Planned outcome of inserting one message of a call. */
type InsertPlan = InsertOutcome | (Place & { readonly outcome: "fresh" });

/** Id of a message, decoded and as columns hold it, with the position of its server. */
interface Place extends Pick<MessageIdParts, "server" | "direction" | "receivedAt"> {
  readonly id: Uint8Array;
  readonly position: ServerPosition;
}

/** Options of {@link MessageWrites}. */
export interface MessageWriteOptions {
  /** Quota of servers without one of their own. */
  readonly quota?: ServerQuota | undefined;
  /** Filters of the messages that were stored last. */
  readonly recent?: RecentGramWrites;
}

/** Changes of messages, for use inside the writer's transaction. */
export class MessageWrites {
  readonly #recent: RecentGramWrites | undefined;
  readonly #servers: ServerReads;
  readonly #journal: Journal;
  readonly records: RecordRows;
  readonly run: ReturnType<typeof queryRunner>;
  readonly #countUsage: ReturnType<typeof bindCountUsage>;
  readonly #readChunks: ReturnType<typeof bindReadChunks>;
  readonly #contents: ContentInserts;
  readonly #uncount: StatementSync;
  readonly #neighbour: StatementSync;
  /** Counts a message of a server, and advances the server's journal for the change. */
  readonly #advance: Record<Direction, StatementSync>;
  readonly #insert: Record<"message" | "subject" | "address", StatementSync>;
  readonly #find: StatementSync;
  readonly #deletions: Record<"message" | "content" | "subject" | "address", StatementSync>;

  constructor(database: DatabaseSync, journal: Journal, { quota, recent }: MessageWriteOptions = {}) {
    this.#recent = recent;
    this.#servers = new ServerReads(database);
    this.#journal = journal;
    this.records = recordRowsOf(journal, quota);
    this.run = queryRunner(database);
    this.#countUsage = bindCountUsage(database);
    this.#readChunks = bindReadChunks(database);
    this.#contents = new ContentInserts(database);
    this.#uncount = database.prepare("update server set byte_count = byte_count - ? where number = ?");
    this.#neighbour = database.prepare(
      `select m.id, m.sequence, m.summary, coalesce(c.raw, c.detail) as column, c.number as content,
         c.raw_chunk_count as rawChunkCount, ${layoutColumns}
       from message m join content c on c.number = m.content where m.epoch = ? and m.id between ? and ? limit 1`,
    );
    this.#find = database.prepare(
      `select m.content, c.addresses, ${contentBytes} as bytes from message m join content c on c.number = m.content
       where m.epoch = ? and m.id = ?`,
    );
    const advance = (count: string): StatementSync =>
      database.prepare(
        `update server set sequence = sequence + 1, ${count} = ${count} + ?, byte_count = byte_count + ? where number = ?`,
      );
    this.#advance = { Received: advance("received_count"), Sent: advance("sent_count") };
    this.#insert = {
      message: database.prepare(
        "insert into message (epoch, id, sequence, content, summary, checksum) values (?, ?, ?, ?, ?, ?)",
      ),
      subject: database.prepare(insertSubject),
      address: database.prepare("insert or ignore into address (epoch, role, address, id) values (?, ?, ?, ?)"),
    };
    this.#deletions = {
      message: database.prepare("delete from message where epoch = ? and id = ?"),
      content: database.prepare("delete from content where number = ?"),
      subject: database.prepare("delete from subject where epoch = ? and id = ?"),
      address: database.prepare("delete from address where epoch = ? and role = ? and address = ? and id = ?"),
    };
  }

  /**
   * Stores the messages of one call. When one of them collides, none is stored, and all that did not exist before
   * return `collision`. Throws `quota_exceeded` when a server has not enough space, before anything is written.
   */
  add(messages: readonly IncomingMessage[], insertOptions: InsertOptions = {}): readonly InsertOutcome[] {
    const { repeatable = null } = insertOptions;
    if (repeatable !== null) this.run(this.records.idempotency.requireUnrepeated(repeatable));
    const plans = this.#planInserts(messages);
    if (plans.some((plan) => plan.outcome === "collision")) {
      return plans.map((plan) => (plan.outcome === "fresh" ? { outcome: "collision" } : plan));
    }
    if (insertOptions.ignoresQuota !== true) {
      const fresh = messages.flatMap((message, index) => {
        const plan = plans[index];
        const { annotations = [] } = message;
        return plan?.outcome === "fresh" ? [{ ...plan, annotations, bytes: storedBytes(message) }] : [];
      });
      this.run(requireQuotas(this.records, fresh));
    }
    const stored = messages.filter((_, index) => plans[index]?.outcome !== "no_server").map(({ id }) => id);
    this.run(addCompanions(this.records, new Set(stored), insertOptions));
    return messages.map((message, index) => {
      const plan = plans[index];
      if (plan === undefined) throw new Error("no plan for a message");
      return plan.outcome === "fresh" ? this.#store(message, plan) : plan;
    });
  }

  /**
   * Deletes a message, its outbox entries and its annotations and marks unless they are kept, and cancels its deliveries; returns the
   * change's sequence number, undefined when it does not exist.
   */
  delete(id: MessageId, keepsCompanions = false): number | undefined {
    const { server } = decodeMessageId(id);
    const sequence = this.#remove(id);
    const position = this.#servers.position(server);
    if (position === undefined || sequence === undefined) return sequence;
    this.run(this.records.outbox.removeOf(position.epoch, [id]));
    if (!keepsCompanions) {
      const bytes = this.run(this.records.annotations.removeOf(position, [id]));
      if (bytes > 0) this.#uncount.run(bytes, position.number);
      this.run(this.records.marks.removeOf(position, [id]));
    }
    this.run(this.records.deliveries.cancelOfMessages([id]));
    return sequence;
  }

  /** Implements `expireMessages` of the store's contract. */
  expire(server: ServerId, rule: ExpiryRule): number {
    const { ids = [] } = this.run(takeExpired(sqliteDialect, server, rule)) ?? {};
    for (const id of ids) this.delete(id);
    return ids.length;
  }

  /** Implements `replaceMessage` of the store's contract. */
  replace(message: IncomingMessage): number | undefined {
    this.run(removeReparse(message.id));
    if (this.#remove(message.id) === undefined) return undefined;
    const place = this.#placeOf(message.id);
    if (place === undefined) throw new Error("a server disappeared within a transaction");
    return this.#insertOne(message, place);
  }

  /** Deletes a message, but not its outbox entries, annotations and marks. */
  #remove(id: MessageId): number | undefined {
    const place = this.#placeOf(id);
    if (place === undefined) return undefined;
    const { direction, position, id: bytes } = place;
    const row = this.#find.get(position.epoch, bytes) as unknown as DeletedRow | undefined;
    if (row === undefined) return undefined;
    for (const [role, key] of keysIn(JSON.parse(row.addresses) as StoredKeys)) {
      this.#deletions.address.run(position.epoch, keyRoles[role], key, bytes);
    }
    this.#deletions.subject.run(position.epoch, bytes);
    this.#deletions.message.run(position.epoch, bytes);
    this.#deletions.content.run(row.content);
    this.#advance[direction].run(-1, -row.bytes, position.number);
    return this.#journal.record(position.number, "deleted", bytes);
  }

  #planInserts(messages: readonly IncomingMessage[]): readonly InsertPlan[] {
    const taken = new Set<MessageId>();
    return messages.map((message) => {
      const place = this.#placeOf(message.id);
      if (place === undefined) return { outcome: "no_server" };
      const range = neighbours(place.id);
      const first = idFromBytes(range.first);
      if (taken.has(first)) return { outcome: "collision" };
      taken.add(first);
      return this.#compare(message, place, range) ?? { outcome: "fresh", ...place };
    });
  }

  /** Returns the place of a message; undefined when its server does not exist. */
  #placeOf(message: MessageId): Place | undefined {
    const { server, direction, receivedAt } = decodeMessageId(message);
    const position = this.#servers.position(server);
    return position && { server, direction, receivedAt, id: idToBytes(message), position };
  }

  /** Returns the outcome for a message whose range of ids is taken; undefined when it is free. */
  #compare(message: IncomingMessage, { id, position }: Place, { first, last }: IdRange): InsertOutcome | undefined {
    const found = this.#neighbour.get(position.epoch, first, last) as unknown as NeighbourRow | undefined;
    if (found === undefined) return undefined;
    const isSame =
      sameBytes(found.id, id) &&
      sameBytes(found.summary, message.summary) &&
      sameBytes(this.#rawOf(found), message.raw);
    return isSame ? { outcome: "stored", sequence: found.sequence } : { outcome: "collision" };
  }

  #store(message: IncomingMessage, place: Place): InsertOutcome {
    const sequence = this.#insertOne(message, place);
    const { receivedAt, position } = place;
    const { id, marks, annotations = [] } = message;
    for (const { kind, json } of annotations) {
      const compressed = compress(Buffer.from(json));
      this.run(this.records.annotations.putAnnotation(id, { kind, ...compressed }));
      freeCompressed(compressed);
    }
    if (marks !== undefined) this.run(this.records.marks.put(position, sequence, [{ id, marks }]));
    this.#countUsage(receivedAt, message.raw.length);
    return { outcome: "stored", sequence };
  }

  #insertOne(message: IncomingMessage, { id, direction, position }: Place): number {
    const { number, epoch } = position;
    const stored = storedKeys(message);
    const content = this.#contents.add(id, message, JSON.stringify(stored));
    this.#advance[direction].run(1, storedBytes(message), number);
    const sequence = this.#journal.record(number, direction === "Sent" ? "sent" : "received", id);
    this.#insert.message.run(epoch, id, sequence, content, message.summary, summaryChecksum(message.summary));
    this.#insert.subject.run(epoch, id, content, message.subject, message.fields, message.raw.length);
    for (const [role, key] of keysIn(stored)) this.#insert.address.run(epoch, keyRoles[role], key, id);
    this.#recent?.add(position, { ...message, sequence });
    return sequence;
  }

  /** Returns no bytes where they are damaged, so that no message equals them. */
  #rawOf(found: NeighbourRow): Uint8Array {
    const column = found.rawChunkCount === 0 ? found.column : this.#readChunks(found.content);
    try {
      return readContent(column, "raw", found);
    } catch (error) {
      if (isDamage(error)) return new Uint8Array(0);
      throw error;
    }
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
