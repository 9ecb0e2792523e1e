import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { NewDelivery } from "../callback-store.ts";
import { lockServer } from "../records/server-position.ts";
import { DialectRows, type ForEachRow } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";

/** Statements that add deliveries. */
export class DeliveryInserts extends DialectRows {
  readonly #insert: ForEachRow = this.dialect.forEachRow(
    {
      id: "text",
      number: "bigint",
      server: "text",
      target: "text",
      queue: "text",
      message: "uuid",
      delivers_message: "integer",
      is_message_stored: "integer",
      type: "text",
      attempts_max: "integer",
      due_at: "number",
      created_at: "number",
      content: "bytes",
    },
    ({ of, from }) =>
      this.dialect.insertNew(
        `callback_delivery (id, number, server, target, queue, message, delivers_message,
             is_message_stored, type, attempts_max, first_due_at, due_at, created_at, content, status, attempt_count,
             schedule_step, attempts)`,
        `select ${of("id")}, ${of("number")}, ${of("server")}, ${of("target")}, ${of("queue")}, ${of("message")}, ${of("delivers_message")},
             ${of("is_message_stored")}, ${of("type")}, ${of("attempts_max")}, ${of("due_at")}, ${of("due_at")}, ${of("created_at")},
             ${of("content")}, 'Pending', 0, 0, '' ${from}`,
      ),
  );
  readonly #targets: string = `select id from callback_target where ${this.dialect.isAmong("id", "$1", "text")}
      order by id ${this.dialect.forKeyShare}`;

  /**
   * Adds deliveries whose server, target and, unless the transaction stores it, delivered message exist. Locks the servers of
   * those without a target first, as everywhere; then the targets, so that none is removed before the commit.
   */
  *add(
    deliveries: readonly NewDelivery[],
    { messagesStored = false }: { readonly messagesStored?: boolean } = {},
  ): Query<void> {
    if (deliveries.length === 0) return;
    const direct = deliveries.filter(({ target }) => target === null).map(({ server }) => server);
    const servers = yield* this.#lockServers(direct);
    const outbound = deliveries.flatMap(({ deliversMessage, message }) => (deliversMessage ? (message ?? []) : []));
    const messages = messagesStored ? null : yield* this.#findMessages(outbound);
    const targets = yield* this.#lockTargets(deliveries);
    const isPresent = ({ server, target, deliversMessage, message }: NewDelivery): boolean => {
      const hasOwner = target === null ? servers.has(server) : targets.has(target);
      return hasOwner && (!deliversMessage || message === null || (messages?.has(message) ?? true));
    };
    yield* this.#insert(this.#rowsOf(deliveries.filter(isPresent)));
  }

  #rowsOf(deliveries: readonly NewDelivery[]): readonly (readonly unknown[])[] {
    const numbers = this.dialect.numbersOf(deliveries.map(({ createdAt }) => createdAt));
    return deliveries.map((delivery, at) => {
      const { id, server, target, queue, message, deliversMessage, type } = delivery;
      const { attemptsMax, dueAt, createdAt, content } = delivery;
      const receiver = [target, target ?? queue];
      const state = [deliversMessage ? 1 : 0, deliversMessage && message !== null ? 1 : 0];
      const own = [id, numbers[at] ?? null, server, ...receiver, message, ...state, type];
      return [...own, attemptsMax, dueAt, createdAt, content];
    });
  }

  *#lockServers(servers: readonly ServerId[]): Query<ReadonlySet<ServerId>> {
    const present = new Set<ServerId>();
    for (const server of [...new Set(servers)].toSorted()) {
      if ((yield* lockServer(this.dialect, server)) !== undefined) present.add(server);
    }
    return present;
  }

  *#findMessages(messages: readonly MessageId[]): Query<ReadonlySet<MessageId>> {
    const { isAmong, list, ofEpoch, serverKey, slotColumn, slotOf, fromSlot, toServer } = this.dialect;
    const epoch = `(select epoch from server where ${serverKey} = $1)`;
    const sql = `select m.id from message m where ${ofEpoch("m", epoch)} and ${isAmong(`m.${slotColumn}`, "$2", "slot")}`;
    const found = new Set<MessageId>();
    for (const [server, own] of Map.groupBy(messages, (id) => decodeMessageId(id).server)) {
      const values = [toServer(server), list(own.map(slotOf))];
      for (const { id } of yield* rowsOf<{ readonly id: string | Uint8Array }>(sql, values)) found.add(fromSlot(id));
    }
    return found;
  }

  /** Returns the stored ids of the targets that exist. */
  *#lockTargets(deliveries: readonly NewDelivery[]): Query<ReadonlySet<string>> {
    const { list } = this.dialect;
    const wanted = new Set(deliveries.flatMap(({ target }) => (target === null ? [] : target)));
    if (wanted.size === 0) return wanted;
    const rows = yield* rowsOf<{ readonly id: string }>(this.#targets, [list([...wanted])]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Returns how many deliveries are not stored yet and deliver a message. */
  *countNewOutbound(deliveries: readonly NewDelivery[]): Query<number> {
    const { isAmong, list } = this.dialect;
    const ids = deliveries.filter(({ deliversMessage }) => deliversMessage).map(({ id }) => id);
    if (ids.length === 0) return 0;
    const sql = `select 1 from callback_delivery where ${isAmong("id", "$1", "text")}`;
    return ids.length - (yield* rowsOf(sql, [list(ids)])).length;
  }
}
