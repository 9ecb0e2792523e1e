import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idFromBytes, idToBytes, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import { dayOf, storedBytes, type ServerQuota } from "../../../core/server.ts";
import { addUsage, noUsage } from "../../../core/usage.ts";
import { isDamage, readContent } from "../../content/layout.ts";
import { neighbours } from "../../page-bounds.ts";
import { MessageRows, type MessageTables, type PresentMessage } from "../../records/message-rows.ts";
import type { RecordRows } from "../../records/records.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { UsageEntry } from "../../records/account-rows.ts";
import type { RecentGramWrites } from "../../signatures/recent-grams.ts";
import { computed } from "../../sql/query.ts";
import type { ExpiryRule, InsertOptions, InsertOutcome } from "../../store.ts";
import { recordRowsOf } from "../account/record-stores.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import { summaryChecksum, contentBytes } from "../content/content-tables.ts";
import { ContentInserts } from "../content/content-inserts.ts";
import { bindReadChunks } from "../content/raw-chunks.ts";
import type { Journal } from "./changes.ts";
import { keyRoles, keysIn, storedKeys, type StoredKeys } from "./key-roles.ts";
import type { IncomingMessage } from "./message-batch.ts";

interface NeighbourRow extends Omit<PresentMessage, "id"> {
  readonly id: Uint8Array;
}

interface DeletedRow {
  readonly content: number;
  readonly addresses: string;
  readonly bytes: number;
}

const insertSubject = "insert into subject (epoch, id, content, text, fields, size) values (?, ?, ?, ?, ?, ?)";

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
  readonly #journal: Journal;
  readonly records: RecordRows;
  readonly run: ReturnType<typeof queryRunner>;
  readonly #rows: MessageRows<IncomingMessage>;
  /** Usage of the calls of the transaction, which {@link countUsage} writes. */
  readonly #usage = new Map<string, UsageEntry>();
  readonly #readChunks: ReturnType<typeof bindReadChunks>;
  readonly #contents: ContentInserts;
  readonly #neighbour: StatementSync;
  /** Counts a message of a server, and advances the server's journal for the change. */
  readonly #advance: Record<Direction, StatementSync>;
  readonly #insert: Record<"message" | "subject" | "address", StatementSync>;
  readonly #find: StatementSync;
  readonly #deletions: Record<"message" | "content" | "subject" | "address", StatementSync>;

  readonly #tables: MessageTables<IncomingMessage> = {
    find: ({ epoch }, ids) =>
      computed(() =>
        ids.flatMap((id): readonly (readonly [MessageId, PresentMessage])[] => {
          const { first, last } = neighbours(idToBytes(id));
          const row = this.#neighbour.get(epoch, first, last) as unknown as NeighbourRow | undefined;
          return row === undefined ? [] : [[id, { ...row, id: idFromBytes(row.id) }]];
        }),
      ),
    insert: (position, messages, isReplacement = false) =>
      computed(() => {
        const sequences = messages.map((message) => this.#insertOne(message, position, isReplacement));
        return (sequences[0] ?? 1) - 1;
      }),
    remove: (position, ids) => computed(() => ids.filter((id) => this.#removeOne(id, position)).length),
  };

  constructor(database: DatabaseSync, journal: Journal, { quota, recent }: MessageWriteOptions = {}) {
    this.#recent = recent;
    this.#journal = journal;
    this.records = recordRowsOf(journal, quota);
    this.run = queryRunner(database);
    this.#rows = new MessageRows(sqliteDialect, this.#tables, this.records);
    this.#readChunks = bindReadChunks(database);
    this.#contents = new ContentInserts(database);
    this.#neighbour = database.prepare(
      "select id, sequence, summary from message where epoch = ? and id between ? and ? limit 1",
    );
    this.#find = database.prepare(
      `select m.content, c.addresses, ${contentBytes} as bytes from message m join content c on c.number = m.content
       where m.epoch = ? and m.id = ?`,
    );
    const advance = (count: string): StatementSync =>
      database.prepare(
        `update server set sequence = sequence + 1, ${count} = ${count} + ?, byte_count = byte_count + ?,
           traffic_at = max(traffic_at, ?) where number = ?`,
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

  /** Implements `addMessages` of the store's contract. */
  add(messages: readonly IncomingMessage[], options: InsertOptions = {}): readonly InsertOutcome[] {
    const planned = this.run(this.#rows.plan(messages, options)).map((plan, at) =>
      plan.outcome !== "stored" || this.#hasRaw(messages[at]) ? plan : ({ outcome: "collision" } as const),
    );
    return this.run(this.#rows.store(messages, planned, options));
  }

  /** Implements `deleteMessage` of the store's contract. */
  delete(id: MessageId): number | undefined {
    return this.run(this.#rows.deleteMessage(id));
  }

  /** Implements `expireMessages` of the store's contract. */
  expire(server: ServerId, rule: ExpiryRule): number {
    return this.run(this.#rows.expireMessages(server, rule));
  }

  /** Implements `replaceMessage` of the store's contract. */
  replace(message: IncomingMessage): number | undefined {
    return this.run(this.#rows.replaceMessage(message));
  }

  #insertOne(message: IncomingMessage, position: ServerPosition, isReplacement: boolean): number {
    const { number, epoch } = position;
    const id = idToBytes(message.id);
    const { direction, receivedAt } = decodeMessageId(message.id);
    const stored = storedKeys(message);
    const content = this.#contents.add(id, message, JSON.stringify(stored));
    this.#advance[direction].run(1, storedBytes(message), receivedAt, number);
    const sequence = this.#journal.record(number, direction === "Sent" ? "sent" : "received", id);
    this.#insert.message.run(epoch, id, sequence, content, message.summary, summaryChecksum(message.summary));
    this.#insert.subject.run(epoch, id, content, message.subject, message.fields, message.raw.length);
    for (const [role, key] of keysIn(stored)) this.#insert.address.run(epoch, keyRoles[role], key, id);
    this.#recent?.add(position, { ...message, sequence });
    if (!isReplacement) this.#noteUsage(message, position);
    return sequence;
  }

  #noteUsage({ id, bytes, isSms }: IncomingMessage, { team }: ServerPosition): void {
    const { server, receivedAt } = decodeMessageId(id);
    const day = dayOf(receivedAt);
    const key = `${day} ${team ?? ""} ${server}`;
    const counts = { email: isSms ? 0 : 1, sms: isSms ? 1 : 0, bytes, outbound: 0 };
    this.#usage.set(key, { server, team, day, ...addUsage(this.#usage.get(key) ?? noUsage, counts) });
  }

  /** Writes the usage of all messages that the transaction has stored; to be called before its commit. */
  countUsage(): void {
    if (this.#usage.size === 0) return;
    const entries = [...this.#usage.values()];
    this.#usage.clear();
    this.run(this.records.usage.addUsage(entries));
  }

  /** Forgets the usage of a transaction that is rolled back. */
  discardUsage(): void {
    this.#usage.clear();
  }

  /** Returns false when there is no such message. */
  #removeOne(id: MessageId, { number, epoch }: ServerPosition): boolean {
    const bytes = idToBytes(id);
    const row = this.#find.get(epoch, bytes) as unknown as DeletedRow | undefined;
    if (row === undefined) return false;
    for (const [role, key] of keysIn(JSON.parse(row.addresses) as StoredKeys)) {
      this.#deletions.address.run(epoch, keyRoles[role], key, bytes);
    }
    this.#deletions.subject.run(epoch, bytes);
    this.#deletions.message.run(epoch, bytes);
    this.#deletions.content.run(row.content);
    this.#advance[decodeMessageId(id).direction].run(-1, -row.bytes, 0, number);
    this.#journal.record(number, "deleted", bytes);
    return true;
  }

  /** Whether the stored message with the id of a message has its raw bytes; false where they are damaged. */
  #hasRaw(message: IncomingMessage | undefined): boolean {
    const row = message && this.run(this.records.content.readContent(message.id, "raw"));
    if (row === undefined) return false;
    const { number } = row as typeof row & { readonly number: number };
    const column = row.chunkCount > 0 ? this.#readChunks(number) : row.column;
    try {
      return column !== null && Buffer.compare(readContent(column, "raw", row), message?.raw ?? column) === 0;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }
}
