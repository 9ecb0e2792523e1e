import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { combineMessageDeliveries } from "../../callback-attempts.ts";
import type { DeliveryFilter, StoredDelivery } from "../../callback-store.ts";
import type { DeliveryState } from "../../outbox-store.ts";
import { Statements } from "../connection/connection.ts";
import { DueQueueReads, isActive } from "./due-queues.ts";
import { deliveryColumns, filterConditions, isVisible, toDelivery, type DeliveryRow } from "./delivery-rows.ts";

/** Number of pending deliveries, and the instant at which the first became due or becomes due; null without any. */
export interface PendingDeliveries {
  readonly count: number;
  readonly oldestDueAt: number | null;
}

/** Queries of deliveries. */
export class DeliveryReads {
  readonly #statements: Statements;
  readonly queues: DueQueueReads;
  readonly #get: StatementSync;
  readonly #ofMessage: StatementSync;
  readonly #pending: StatementSync;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
    this.queues = new DueQueueReads(database);
    this.#get = database.prepare(`select ${deliveryColumns} from callback_delivery where id = ? and ${isVisible}`);
    this.#ofMessage = database.prepare(
      `select ${deliveryColumns} from callback_delivery
       where message = ? and delivers_message = 1 and ${isVisible} order by number`,
    );
    this.#pending = database.prepare(
      `select coalesce(sum(count), 0) as count, min(due_at) as oldestDueAt from
         (select queue, count(*) as count, min(due_at) as due_at from callback_delivery
          where due_at is not null group by queue) pending
       where ${isActive("pending.queue")}`,
    );
  }

  get(id: string): StoredDelivery | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toDelivery(row as unknown as DeliveryRow);
  }

  /** Implements `listDeliveries` of the contract. */
  list(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): readonly StoredDelivery[] {
    const { condition, values } = filterConditions(server, filter);
    const statement = this.#statements.get(
      `select ${deliveryColumns} from callback_delivery where ${condition}
       order by number desc limit :limit + 0 offset :offset`,
    );
    return statement.all({ ...values, ...page }).map((row) => toDelivery(row as unknown as DeliveryRow));
  }

  ofMessage(message: MessageId): DeliveryState | undefined {
    const rows = this.#ofMessage.all(message);
    return combineMessageDeliveries(rows.map((row) => toDelivery(row as unknown as DeliveryRow)));
  }

  /** Counts all pending deliveries by reading their index. */
  pending(): PendingDeliveries {
    return { ...(this.#pending.get() as unknown as PendingDeliveries) };
  }
}
