import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeMessageId, idToBytes, type MessageId, type ServerId } from "../../../core/ids.ts";
import { claims } from "../../queues/leased-tables.ts";
import type { NewDelivery } from "../../callback-store.ts";

/** Adds and cancels deliveries together with servers, messages and targets, inside the writer's transaction. */
export class DeliveryInserts {
  readonly #exists: StatementSync;
  readonly #hasServer: StatementSync;
  readonly #hasTarget: StatementSync;
  readonly #hasMessage: StatementSync;
  readonly #insert: StatementSync;
  readonly #cancelMessage: StatementSync;
  readonly #cancelServer: StatementSync;
  readonly #removeDirect: StatementSync;

  constructor(database: DatabaseSync) {
    this.#exists = database.prepare("select 1 from callback_delivery where id = ?");
    this.#hasServer = database.prepare("select 1 from server where id = ?");
    this.#hasTarget = database.prepare("select 1 from callback_target where id = ?");
    this.#hasMessage = database.prepare(
      "select 1 from message where epoch = (select epoch from server where id = ?) and id = ?",
    );
    this.#insert = database.prepare(
      `insert or ignore into callback_delivery
         (id, server, target, queue, message, delivers_message, type, attempts_max, first_due_at, created_at, content,
          is_message_stored, due_at, status, attempt_count, schedule_step, attempts)
       values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?6 and ?5 is not null, ?9, 'Pending', 0, 0, '')`,
    );
    const cancel = `update callback_delivery set is_message_stored = 0, lease = null, due_at = null, ${claims.ended},
      status = case when due_at is null and quarantined_at is null then status else 'Cancelled' end where is_message_stored = 1 and`;
    this.#cancelMessage = database.prepare(`${cancel} message = ?`);
    this.#cancelServer = database.prepare(`${cancel} server = ?`);
    this.#removeDirect = database.prepare("delete from callback_delivery where server = ? and target is null");
  }

  /** Returns how many of these are not stored yet and deliver a message. */
  countNewOutbound(deliveries: readonly NewDelivery[]): number {
    return deliveries.filter(({ id, deliversMessage }) => deliversMessage && this.#exists.get(id) === undefined).length;
  }

  /**
   * Adds deliveries whose server, target and, unless it is stored later in this transaction, delivered message exist.
   */
  add(
    deliveries: readonly NewDelivery[],
    { messagesFollow = false }: { readonly messagesFollow?: boolean } = {},
  ): void {
    for (const delivery of deliveries) {
      const { id, server, target, queue, message, deliversMessage, type } = delivery;
      if (!this.#isWanted(delivery, messagesFollow)) continue;
      const { attemptsMax, dueAt, createdAt, content } = delivery;
      const own = [id, server, target, target ?? queue, message, deliversMessage ? 1 : 0, type] as const;
      this.#insert.run(...own, attemptsMax, dueAt, createdAt, content);
    }
  }

  #isWanted({ server, target, message, deliversMessage }: NewDelivery, messagesFollow: boolean): boolean {
    if (target === null) {
      if (this.#hasServer.get(server) === undefined) return false;
    } else if (this.#hasTarget.get(target) === undefined) return false;
    return !deliversMessage || message === null || messagesFollow || this.#isStored(message);
  }

  #isStored(message: MessageId): boolean {
    return this.#hasMessage.get(decodeMessageId(message).server, idToBytes(message)) !== undefined;
  }

  /** Cancels the deliveries of a deleted message. */
  cancelOfMessage(message: MessageId): void {
    this.#cancelMessage.run(message);
  }

  /** Cancels the deliveries of all messages of an emptied server. */
  cancelOfServer(server: ServerId): void {
    this.#cancelServer.run(server);
  }

  /** Removes the deliveries without a target of a deleted server. */
  removeOfServer(server: ServerId): void {
    this.#removeDirect.run(server);
  }
}
